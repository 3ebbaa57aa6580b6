package harness

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Block is a fenced block of a Markdown document.
type Block struct {
	Document string // its path
	Line     int    // of its first line, from 1
	Language string // the info string
	Text     string
}

// Step is a command of a block, and the output that the document shows.
type Step struct {
	Document string
	Line     int
	Command  string
	Output   []string
}

func (s Step) String() string { return fmt.Sprintf("%s:%d: %s", s.Document, s.Line, s.Command) }

var (
	fence = regexp.MustCompile("^( *)(```+)([a-z]*)$")
	mark  = regexp.MustCompile(`^ *<!-- test: ([a-z0-9-]+) -->$`)
)

// Blocks are those blocks of a document, of the repository's docs by its path there, that follow a
// comment `<!-- test: NAME -->` directly, by name. Readers do not see these comments.
func Blocks(document string) (map[string]Block, error) {
	text, err := os.ReadFile(filepath.Join(Repository(), document))
	if err != nil {
		return nil, err
	}
	lines := strings.Split(string(text), "\n")
	found := map[string]Block{}
	for i := 0; i < len(lines); i++ {
		marked := mark.FindStringSubmatch(lines[i])
		if marked == nil {
			continue
		}
		name, at := marked[1], i+1
		for at < len(lines) && strings.TrimSpace(lines[at]) == "" {
			at++
		}
		block, end, err := blockAt(lines, at)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %q: %w", document, at+1, name, err)
		}
		if _, is := found[name]; is {
			return nil, fmt.Errorf("%s:%d: there are two blocks %q", document, at+1, name)
		}
		block.Document = document
		found[name] = block
		i = end
	}
	return found, nil
}

// blockAt reads the block whose fence is lines[at], and returns the index of the closing fence too.
func blockAt(lines []string, at int) (Block, int, error) {
	if at >= len(lines) {
		return Block{}, 0, fmt.Errorf("the document ends, expected a fenced block")
	}
	opening := fence.FindStringSubmatch(lines[at])
	if opening == nil {
		return Block{}, 0, fmt.Errorf("found %q, expected a fenced block", lines[at])
	}
	indent, ticks := opening[1], opening[2]
	var body []string
	for i := at + 1; i < len(lines); i++ {
		line := strings.TrimPrefix(lines[i], indent)
		if line == ticks {
			text := strings.Join(body, "\n") + "\n"
			return Block{Line: at + 2, Language: opening[3], Text: text}, i, nil
		}
		body = append(body, line)
	}
	return Block{}, 0, fmt.Errorf("the block does not end")
}

// Steps are the commands of the block: the lines after "$ " with the output that follows each; or,
// where no line begins so, each line. A line that ends with a backslash goes on in the next.
func (b Block) Steps() []Step {
	lines := strings.Split(strings.TrimSuffix(b.Text, "\n"), "\n")
	showsOutput := false
	for _, line := range lines {
		showsOutput = showsOutput || strings.HasPrefix(line, "$ ")
	}
	var steps []Step
	for i := 0; i < len(lines); i++ {
		line, isCommand := strings.CutPrefix(lines[i], "$ ")
		if showsOutput && !isCommand {
			if len(steps) > 0 {
				last := &steps[len(steps)-1]
				last.Output = append(last.Output, line)
			}
			continue
		}
		step := Step{Document: b.Document, Line: b.Line + i, Command: line}
		for strings.HasSuffix(step.Command, `\`) && i+1 < len(lines) {
			i++
			step.Command += "\n" + lines[i]
		}
		if strings.TrimSpace(step.Command) != "" {
			steps = append(steps, step)
		}
	}
	return steps
}

var (
	duration = regexp.MustCompile(`^\d+(ms|s|m|h|d)(\d+(ms|s|m|h))?$`)
	// A suffix that the API server or a controller made up, in names such as training-0-7wq5n.
	suffix = regexp.MustCompile(`-[bcdfghjklmnpqrstvwxz2456789]{5}\b`)
)

// Differs says which documented line an output lacks; nil if none. Blanks, durations, generated
// suffixes of names and the order of lines do not count, and there may be lines that are not
// documented. `also` are further texts of the document, without blanks, and regular expressions of
// what may stand for them. A line "..." is for the reader only.
func (s Step) Differs(output string, also map[string]string) error {
	lines := strings.Split(output, "\n")
	for i, documented := range s.Output {
		if trimmed := strings.TrimSpace(documented); trimmed == "" || trimmed == "..." {
			continue
		}
		pattern, err := regexp.Compile(loosely(documented, also))
		if err != nil {
			return err
		}
		at := slices.IndexFunc(lines, pattern.MatchString)
		if at < 0 {
			return fmt.Errorf("%v\nhas printed:\n%s\nwhich lacks the documented line %d:\n%s\n"+
				"(as %v)", s, output, s.Line+i+1, documented, pattern)
		}
		lines = slices.Delete(lines, at, at+1)
	}
	return nil
}

// loosely is a regular expression for a documented line.
func loosely(line string, also map[string]string) string {
	var words []string
	for _, word := range strings.Fields(line) {
		if duration.MatchString(word) {
			words = append(words, `\S+`)
			continue
		}
		quoted := regexp.QuoteMeta(word)
		quoted = suffix.ReplaceAllString(quoted, `-[a-z0-9]{5}`)
		words = append(words, quoted)
	}
	pattern := strings.Join(words, `\s+`)
	for text, instead := range also {
		pattern = strings.ReplaceAll(pattern, regexp.QuoteMeta(text), instead)
	}
	return `^\s*` + pattern + `\s*$`
}
