package edit

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// phrase is a remark's words, lower-cased and without what frames them.
type phrase struct {
	words     string
	lead      bool // an ellipsis stood before them
	trail     bool // an ellipsis stood behind them
	bracketed bool // they stood in brackets
}

const frame = " \t\r*/#-=_~!>:;,.|"

// maxRemark is the longest remark that is looked at; what is longer tells
// something.
const maxRemark = 300

func normalise(body string) phrase {
	var p phrase
	if len(body) > maxRemark {
		return p
	}
	text := strings.ToLower(strings.TrimSpace(body))
	for {
		before := text
		text = strings.Trim(strings.TrimRight(strings.TrimLeft(text, " \t\r*/#-=_~!>:;,|"), " \t\r*/#-=_~!:;,|"), " ")
		if rest, ok := cutDots(text, strings.CutPrefix); ok {
			p.lead, text = true, rest
		}
		if rest, ok := cutDots(text, strings.CutSuffix); ok {
			p.trail, text = true, rest
		}
		if inner, ok := unbracket(text); ok {
			p.bracketed, text = true, inner
		}
		if text == before {
			break
		}
	}
	p.words = strings.Join(strings.Fields(strings.Trim(text, frame+"。，：；！()[]{}<>（）【】")), " ")
	return p
}

func cutDots(text string, cut func(string, string) (string, bool)) (string, bool) {
	for _, dots := range []string{"...", "…", "。。。"} {
		if rest, ok := cut(text, dots); ok {
			return rest, true
		}
	}
	return text, false
}

func unbracket(text string) (string, bool) {
	for _, pair := range []string{"()", "[]", "{}", "<>", "（）", "【】"} {
		marks := []rune(pair)
		rest, opened := strings.CutPrefix(text, string(marks[0]))
		if inner, closed := strings.CutSuffix(rest, string(marks[1])); opened && closed {
			return inner, true
		}
	}
	return text, false
}

// The English words by which a remark points at text that is not there.
const (
	enRest    = `(?:the |all |all the |your |any )?(?:rest|remainder|remaining|others?|existing|unchanged|same)`
	enCode    = `(?:file|code|codebase|function|class|method|implementation|script|component|module|program|contents?|source|document)`
	enCodes   = `(?:` + enCode + `|functions|methods|classes|imports|logic|body|tests|handlers|routes|definitions|lines)`
	enAsItWas = `(?:unchanged|the same|exactly the same|as[ -]is|as before|(?:exactly )?as (?:they|it) (?:are|is|was|were)|untouched|intact|unmodified|not changed|omitted|elided|identical|same as before|not shown)`
	enStays   = `(?:is|are|stays?|remains?|left|kept|continues?|must stay|must remain|should remain)`
	enReason  = `(?: (?:for (?:brevity|clarity|space|simplicity|now)|here|below|above))?`
)

// patterns are tried on a whole phrase; what only contains one of them is
// speech about code.
type patterns struct {
	closed  *regexp.Regexp // says it all by itself
	pointed *regexp.Regexp // says it together with dots in front
	hinted  *regexp.Regexp // says it between dots
	narrow  *regexp.Regexp // says it between dots where much else is between dots
	framed  *regexp.Regexp // says it in brackets
	stub    *regexp.Regexp // a whole file of it is none
}

// compiled builds the patterns once, when the first write is judged: a program
// that never writes does not pay for them.
var compiled = sync.OnceValue(func() patterns {
	whole := func(alternatives ...[]string) *regexp.Regexp {
		return regexp.MustCompile(`^(?:` + strings.Join(slices.Concat(alternatives...), `|`) + `)$`)
	}
	pointed := append(englishPointed(), cjkPointed)
	return patterns{
		closed:  whole(englishClosed(), elsewhereClosed()),
		pointed: whole(pointed),
		hinted:  whole(pointed, englishHinted()),
		narrow:  whole(englishNarrow(), elsewhereClosed()),
		framed:  whole(bracketedAlone()),
		stub:    whole(stubs()),
	}
})

func englishClosed() []string {
	return []string{
		enRest + `(?: of)?(?: the| this| your| my| our)?(?: [a-z0-9_.-]+){0,4} ` + enStays + `(?: exactly)? ` + enAsItWas + enReason,
		`(?:the )?(?:rest|remainder)(?: of)?(?: the| this| your| my| our)?(?: (?:original|existing|previous))?(?: ` + enCodes + `)?(?: ` + enStays + `)?(?: exactly)? ` + enAsItWas + enReason,
		`(?:the )?(?:rest|remainder) of (?:the |this |your |my |our )?(?:original |existing |previous |remaining )?` + enCode + `(?: (?:goes|stays|continues|follows|is|remains))?` + enReason,
		`(?:the |all |your )?(?:existing|remaining|other|unchanged) ` + enCodes + `(?: ` + enStays + `| goes| go)? ?(?:` + enAsItWas + `|here|below|above)` + enReason,
		`(?:existing|unchanged|remaining) (?:code|implementation)(?: (?:stays|remains|continues|follows))?`,
		`keep (?:the |all |your )?(?:rest|remaining|existing|other|everything else)(?: of)?(?: the| your)?(?: [a-z_]+){0,3} (?:` + enAsItWas + `|here)`,
		`(?:the )?(?:rest|remaining ` + enCodes + `|other ` + enCodes + `|code|implementation|contents?)(?: is| are)? (?:omitted|elided|left out|truncated|shortened|skipped) for (?:brevity|clarity|space|simplicity)`,
		`no (?:more )?changes (?:from here on|below this line|below|beyond this point)`,
	}
}

func englishPointed() []string {
	return []string{
		`(?:and )?(?:the |all |all the |your |any )?(?:rest|remainder|remaining|everything else|existing|unchanged|same|previous|original)(?: of)?(?: [a-z0-9_./-]+){0,8}`,
		`(?:and )?(?:the |all |all the |your |any )?others? ` + enCodes + `(?: [a-z0-9_./-]+){0,8}`,
		`(?:code )?(?:unchanged|omitted|elided|snip(?:ped)?)(?: .{0,40})?`,
		`more (?:` + enCodes + `|of the same)(?: .{0,20})?`,
	}
}

func englishHinted() []string {
	return []string{
		`(?:.* )?(?:unchanged|as before|omitted|elided|truncated|snip(?:ped)?)(?: .*)?`,
		`(?:and )?(?:the |all |all the |your |any )?others?(?: [a-z]+)?`,
		`(?:keep|same|continued?|unchanged) .*`,
		`(?:your |the |actual |some )?(?:code|implementation|logic)(?: (?:goes )?here)?`,
	}
}

func englishNarrow() []string {
	return []string{
		`(?:.* )?unchanged(?: .*)?`,
		`(?:and )?(?:the |all |all the |your )?(?:rest|remainder|remaining|existing|unchanged|other|previous|original|same)(?: of)?(?: the| this| your)?(?: [a-z0-9_-]+){0,2} ` +
			`(?:` + enCodes + `|document|section|sections|text|readme|page|chapters?)(?: .{0,60})?`,
		`(?:the )?(?:rest|remaining|same) (?:as before|as is|the same|omitted for brevity)`,
	}
}

func bracketedAlone() []string {
	return []string{
		`unchanged`, `no changes?`, `same as before`, `as before`, `(?:code )?omitted(?: for brevity)?`, `snip(?:ped)?`, `code truncated`,
		`省略`, `略`, `不变`, `unverändert`, `inchangé`, `sin cambios`, `без изменений`,
	}
}

func stubs() []string {
	return []string{
		`(?:todo|fixme|placeholder)(?:[^\pL].*)?`, `implement(?:ation)?(?: goes)?(?: here| me| this)?`,
		`(?:your |the )?(?:code|implementation|content) (?:goes )?here`, `to be (?:done|implemented)`, `待实现`, `待办.*`,
	}
}

const cjkPointed = `(?:其余|其他|其它|剩余|剩下|余下|原有|现有|原来|后续|后面|中间|此处|残り|既存|その他|나머지|기존).{0,16}`

// elsewhereClosed are the closed phrases in other languages than English.
func elsewhereClosed() []string {
	return []string{
		// Chinese: which code, and that it stays or is left out.
		`(?:其余|其他|其它|剩余|剩下|余下|原有|现有|原来|后续|后面|以下|下面|前面)的?(?:所有|全部)?的?(?:代码|部分|内容|函数|方法|文件|实现|逻辑|代碼|函數)?.{0,6}(?:不变|不變|省略|保持原样|保持一致|原样保留|不作修改|没有变化|无变化|同上|与之前相同|与原来相同)`,
		`(?:其余|剩余|原有|现有|剩下)的?(?:代码|代碼)`,
		`(?:此处|这里|中间|以下|代码)?(?:已)?省略(?:了)?(?:其余|部分|若干|其他)?的?(?:代码|内容|行)?`,
		// Japanese and Korean.
		`(?:残り|以下|既存|その他|他)(?:の|は)?(?:コード|部分|実装|処理|メソッド|関数|内容)?.{0,6}(?:変更なし|変更しない|省略|同じ|同様|そのまま)`,
		`(?:나머지|기존|이하|다른) ?(?:코드|부분|내용|함수|메서드|구현)?.{0,8}(?:동일|생략|유지|변경 ?없음|그대로)`,
		// German, French, Spanish, Portuguese, Italian, Russian.
		`(?:der |die |das |den )?(?:rest|restlich\w*|übrig\w*|bestehend\w*|vorhanden\w*)(?: [\pL_]+){0,3} (?:unverändert|gleich|wie (?:bisher|gehabt|vorher|zuvor)|identisch|weggelassen)`,
		`(?:le |la |les )?(?:reste|suite|autres?)(?: du| de la| des| de)?(?: [\pL_]+){0,3} (?:inchangée?s?|identiques?|comme avant|omis\w*|tels? quels?)`,
		`(?:el |la |los |las |o |os |il |lo )?(?:resto|restantes?|demás|rimanente)(?: del?| do| da| de la| dos| delle?| dei)?(?: [\pL_]+){0,3} (?:igual(?:es)?|sin (?:cambios|modificar|modificaciones)|inalterad[oa]s?|sem (?:alterações|mudanças)|invariat[oa]|omitid[oa]s?)`,
		`(?:остальн\pL+|прежн\pL+|существующ\pL+|весь остальной)(?: [\pL_]+){0,3} (?:без изменений|не (?:меня|измен)\pL+|опущен\pL*|как (?:было|раньше|прежде))`,
	}
}

// worthMatching spares ordinary comments the patterns: each of these has one of
// the stems, or letters that English does not have.
func worthMatching(words string) bool {
	for _, stem := range []string{"rest", "remain", "exist", "chang", "same", "other", "previous", "original", "omit", "elide", "snip", "truncat",
		"keep", "more", "code", "implement", "logic", "everything", "as before", "left out", "bestehend", "vorhanden", "suite", "autre", "continue"} {
		if strings.Contains(words, stem) {
			return true
		}
	}
	return strings.ContainsFunc(words, func(r rune) bool { return r >= utf8.RuneSelf })
}

// standsForCode says whether a remark claims text that is not there. Where it
// stands in a place that is full of dots for other reasons, such as a document
// or a long comment, strict asks for dots on both sides and plainer words.
func (p phrase) standsForCode(r remark, strict bool) bool {
	if !worthMatching(p.words) {
		return false
	}
	known, dotted := compiled(), p.lead && p.trail
	switch {
	case strict:
		return dotted && known.narrow.MatchString(p.words)
	case p.bracketed && known.framed.MatchString(p.words),
		dotted && known.hinted.MatchString(p.words),
		p.lead && known.pointed.MatchString(p.words):
		return true
	default:
		return r.whole && known.closed.MatchString(p.words)
	}
}

// mayStandForCode is the weaker suspicion that counts only where a large file
// has shrunk to a fraction of itself.
func (p phrase) mayStandForCode() bool {
	if p.lead || p.trail {
		return true
	}
	return worthMatching(p.words) && len(strings.Fields(p.words)) <= 8 && compiled().hinted.MatchString(p.words)
}
