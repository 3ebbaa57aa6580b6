package recorded

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

func TestTheRecordedVersionIsThePinnedOne(t *testing.T) {
	text, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "\tk8s.io/kubernetes "+version+"\n") {
		t.Errorf("go.mod does not pin k8s.io/kubernetes %s", version)
	}
}

// RECORD-6. The stand-in's tests read what the pinned kube-scheduler does.
func TestTheRecordingsAreUpToDate(t *testing.T) {
	for name, recording := range Recordings {
		want, err := os.ReadFile("../../embedded/testdata/recorded_" + name + ".jsonl")
		if err != nil {
			t.Fatal(err)
		}
		var got bytes.Buffer
		if err := recording.Write(t.Context(), &got, Seed, recording.Runs); err != nil {
			t.Fatal(err)
		}
		old, now := strings.Split(string(want), "\n"), strings.Split(got.String(), "\n")
		for i := range min(len(old), len(now)) {
			if old[i] != now[i] {
				t.Fatalf("line %d: the file of the %s has\n%s\nand kube-scheduler does\n%s", i+1, name,
					old[i], now[i])
			}
		}
		if len(old) != len(now) {
			t.Errorf("the file of the %s has %d lines, and kube-scheduler does %d", name, len(old),
				len(now))
		}
	}
}
