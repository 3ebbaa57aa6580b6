package e2e

import (
	"strings"
	"testing"

	"berth.dev/berth/tests/e2e/harness"
)

// What stories rest on: commands of a block with their output, which is compared loosely.
func TestDocumentsAreReadAndCompared(t *testing.T) {
	block := harness.Block{Document: "d.md", Line: 10, Text: `$ kubectl get \
  pods
NAME               STATUS    AGE
training-0-7wq5n   Pending   3s
...
$ berth jobs
`}
	steps := block.Steps()
	if len(steps) != 2 || steps[0].Command != "kubectl get \\\n  pods" || steps[0].Line != 10 ||
		steps[1].Command != "berth jobs" || steps[1].Line != 15 || len(steps[1].Output) != 0 {
		t.Fatalf("the steps are %+v", steps)
	}
	plain := harness.Block{Line: 1, Text: "one\n\ntwo\n"}.Steps()
	if len(plain) != 2 || plain[1].Command != "two" || plain[1].Line != 3 {
		t.Errorf("the lines of a block without output are %+v", plain)
	}

	good := "training-0-x8k2d  Pending  1m2s\nmore\nNAME STATUS AGE\n"
	if err := steps[0].Differs(good, nil); err != nil {
		t.Errorf("differs: %v", err)
	}
	for _, bad := range []string{
		"", "NAME STATUS AGE\n", strings.Replace(good, "Pending", "Running", 1),
		strings.Replace(good, "training-0", "training-1", 1), strings.Replace(good, "AGE", "", 1),
	} {
		if steps[0].Differs(bad, nil) == nil {
			t.Errorf("does not differ: %q", bad)
		}
	}
	renamed := strings.Replace(good, "training-0", "other", 1)
	if err := steps[0].Differs(renamed, map[string]string{"training-0": "[a-z]+"}); err != nil {
		t.Errorf("differs although it may: %v", err)
	}
	if blocks(t, "docs/operating.md")["first-gang-waits"].Text == "" {
		t.Error("the first gang is not found in docs/operating.md")
	}
}
