package count

// sample is a text with its number of tokens in the o200k vocabulary.
type sample struct {
	name string
	want int64
	text string
}

func samples() []sample {
	return []sample{
		{"go", 51, "func (w *wire) take(c chunk) ([]writ.ModelEvent, error) {\n\tif c.Model != \"\" {\n\t\tw.model = string(c.Model)\n\t}\n\treturn nil, fmt.Errorf(\"read the table: %w\", err)\n}\n"},
		{"english", 21, "When a server reports no usage, the number of tokens is estimated by classes of characters and labelled so.\n"},
		{"chinese", 26, "当服务器没有返回用量时，引擎按字符类别估算令牌数，并标注为估计值。"},
		{"japanese", 32, "サーバーが使用量を返さない場合、エンジンは文字の種類ごとにトークン数を推定します。"},
		{"russian", 17, "Если сервер не сообщает об использовании, движок оценивает количество токенов."},
		{"hex", 35, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
		{"json", 30, `{"type":"object","properties":{"path":{"type":"string"},"edits":{"type":"array"}},"required":["path","edits"]}`},
		{"python", 29, "def add(a, b):\n    \"\"\"Add two numbers.\"\"\"\n    return a - b\n\n\ndef twice(x):\n    return 2 * x\n"},
	}
}
