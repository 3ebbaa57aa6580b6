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
	if !strings.Contains(string(text), "\tk8s.io/kubernetes "+kubernetes+"\n") {
		t.Errorf("go.mod does not pin k8s.io/kubernetes %s", kubernetes)
	}
}

// RECORD-6. The stand-in's test reads what the pinned queue does.
func TestTheRecordingOfTheQueueIsUpToDate(t *testing.T) {
	want, err := os.ReadFile("../../embedded/testdata/recorded_queue.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	if err := WriteQueue(t.Context(), &got, Seed, Runs); err != nil {
		t.Fatal(err)
	}
	old, now := strings.Split(string(want), "\n"), strings.Split(got.String(), "\n")
	for i := range min(len(old), len(now)) {
		if old[i] != now[i] {
			t.Fatalf("line %d: the file has\n%s\nand kube-scheduler's queue does\n%s", i+1, old[i], now[i])
		}
	}
	if len(old) != len(now) {
		t.Errorf("the file has %d lines, and kube-scheduler's queue does %d", len(old), len(now))
	}
}
