package edit

import (
	"path"
	"strings"
)

// language tells where a kind of file has comments and strings. It is a sketch
// for finding comments, not a grammar.
type language struct {
	line    []string    // openers of a comment that ends with the line
	block   [][2]string // openers and closers of other comments
	strings []quoting
	kind    fileKind
}

// quoting is one form of string literal. A string that is not multi ends with
// its line.
type quoting struct {
	mark   string
	escape bool // a backslash takes the next character in
	multi  bool
}

// fileKind says which rules apply to a file.
type fileKind uint8

const (
	kindUnknown fileKind = iota // nothing is known of the file's syntax
	kindCode
	kindData  // settings and tables: comments, but text in any form
	kindProse // documents, in which every phrase may stand
)

// languageOf knows a language by the file's name.
func languageOf(file string) language {
	base := strings.ToLower(path.Base(file))
	name := strings.TrimPrefix(path.Ext(base), ".")
	switch {
	case base == "dockerfile", base == "makefile", base == "gnumakefile", base == "jenkinsfile":
		name = base
	case base == "cmakelists.txt":
		name = "cmake"
	default:
	}
	for _, family := range families() {
		for _, member := range strings.Fields(family.names) {
			if member == name {
				return family.language
			}
		}
	}
	return language{
		line:  []string{"//", "#", "--", ";", "%"},
		block: [][2]string{{"/*", "*/"}, {"<!--", "-->"}},
	}
}

type family struct {
	names string
	language
}

// families lists file name extensions with what their languages have in
// common; whole names without an extension stand among them.
func families() []family {
	double := quoting{mark: `"`, escape: true}
	single := quoting{mark: `'`, escape: true}
	backtick := quoting{mark: "`", escape: true, multi: true}
	rawTick := quoting{mark: "`", multi: true}
	triple := quoting{mark: `"""`, escape: true, multi: true}
	tripleSingle := quoting{mark: `'''`, escape: true, multi: true}
	slashes := []string{"//"}
	hash := []string{"#"}
	c := [][2]string{{"/*", "*/"}}
	markup := [][2]string{{"<!--", "-->"}, {"/*", "*/"}, {"{#", "#}"}, {"{{!--", "--}}"}, {"<%#", "%>"}}
	return []family{
		{"go", language{slashes, c, []quoting{rawTick, double, single}, kindCode}},
		{"js jsx mjs cjs ts tsx mts cts", language{slashes, c, []quoting{backtick, double, single}, kindCode}},
		{"java kt kts scala swift cs dart groovy gradle jenkinsfile", language{slashes, c, []quoting{triple, double, single}, kindCode}},
		{"c h cc cpp cxx hh hpp hxx m mm rs zig v sol proto thrift glsl wgsl cu ino d fs fsx", language{slashes, c, []quoting{double, single}, kindCode}},
		{"php", language{[]string{"//", "#"}, c, []quoting{double, single}, kindCode}},
		{"css scss sass less styl", language{slashes, c, []quoting{double, single}, kindCode}},
		{"py pyi pyx bzl star", language{hash, nil, []quoting{triple, tripleSingle, double, single}, kindCode}},
		{"sh bash zsh fish ksh rb pl pm r jl nim ex exs cr tcl awk ps1 psm1 makefile gnumakefile mk dockerfile cmake nix gd",
			language{hash, [][2]string{{"<#", "#>"}}, []quoting{triple, double, single}, kindCode}},
		{"coffee", language{hash, [][2]string{{"###", "###"}}, []quoting{double, single}, kindCode}},
		{"sql pgsql ddl", language{[]string{"--", "#"}, c, []quoting{single}, kindCode}},
		{"lua", language{[]string{"--"}, [][2]string{{"--[[", "]]"}}, []quoting{double, single}, kindCode}},
		{"hs elm purs adb ads vhd vhdl", language{[]string{"--"}, [][2]string{{"{-", "-}"}}, []quoting{double}, kindCode}},
		{"ml mli pas pp", language{slashes, [][2]string{{"(*", "*)"}, {"{", "}"}}, []quoting{double}, kindCode}},
		{"lisp lsp el clj cljs cljc scm rkt asm s", language{[]string{";", "#"}, [][2]string{{"#|", "|#"}}, []quoting{double}, kindCode}},
		{"erl hrl tex sty cls prolog matlab", language{[]string{"%"}, nil, []quoting{double}, kindCode}},
		{"vb vbs bas", language{[]string{"'"}, nil, []quoting{double}, kindCode}},
		{"f f90 f95 f03 f08", language{[]string{"!"}, nil, []quoting{double, single}, kindCode}},
		{"bat cmd", language{[]string{"rem ", "REM ", "::"}, nil, nil, kindCode}},
		{"html htm xhtml vue svelte astro hbs handlebars mustache jinja j2 erb ejs tmpl jsp aspx cshtml razor",
			language{slashes, markup, nil, kindCode}},
		{"xml svg xsl xslt xsd plist csproj vbproj props targets", language{nil, markup[:1], nil, kindData}},
		{"tf tfvars hcl", language{[]string{"#", "//"}, c, []quoting{double}, kindData}},
		{"yaml yml toml ini cfg conf properties env editorconfig gitignore dockerignore service", language{[]string{"#", ";"}, nil, []quoting{triple, tripleSingle, double, single}, kindData}},
		{"json jsonc json5 jsonl ndjson csv tsv lock sum", language{slashes, c, []quoting{double}, kindData}},
		{"md markdown mdx pod rst adoc asciidoc txt text org log diff patch", language{nil, markup[:1], nil, kindProse}},
	}
}
