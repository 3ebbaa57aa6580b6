package e2e

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"

	"berth.dev/berth/tests/e2e/harness"
)

// onlyIn names the tests that one mode of the suite has. All others run in both.
var onlyIn = map[string][]string{
	harness.InPlace: {
		// Pods that are not ours are served by the same kube-scheduler.
		"TestUnmanagedPodsAreBoundWithoutBerth",
		"TestPlannedRoomIsKept",
		"TestOthersDoNotPreemptMinimumsOfGangs",
		"TestOthersPreemptSurplusOfGangs",
		"TestOthersDoNotPreemptIntoClaimedRoom",
		// Gates and markers, by policies.
		"TestManagedPodsAreGatedAndMarked",
		"TestManagedPodsWaitForBerth",
		"TestPodUngatedByHandWaitsForItsGang",
		"TestAdmissionLeavesAloneWhatIsThere",
		// Nominations and commits.
		"TestNominationsOfABrokenGangAreCleared",
		"TestWritesArePerChange",
		"TestMemberDeletedWhileHeld",
		"TestNodeDeletedWhileHeld",
		// A Service in front of replicas, which one kube-scheduler asks.
		"TestLeaderElection",
		"TestKubeSchedulerAsksByMutualTLS",
		"TestPagesAreForBearersOfTokensThatMay", "TestBerthPageBringsWhatTheBearerMaySee",
	},
	harness.ThroughView: {
		"TestManagedPodsWaitForBerthBehindTheView",
		"TestPodsStayAsTheyAreCreated",
		"TestTheViewHidesPodsThatWait",
		"TestTheViewHasPodsInProtobufOnly",
		"TestEachPodIsReadOnce",
		"TestBerthKilledBetweenKubeSchedulersListAndWatch",
		"TestTheViewGivesKubeSchedulersRightsOnly",
		"TestBerthAndKubeSchedulerHaveRightsOfTheirOwn",
		"TestWhatBerthWritesIsInTheAuditLog",
		"TestATokenThatIsRefusedIsReplaced",
		"TestWithoutKubeSchedulersAccountNothingPasses",
		"TestKubeSchedulersMetricsAreForWhoMayReadThem",
		"TestTheKeyOfTheViewIsMadeOnce",
		"TestWritesOfTheView",
		"TestAVetoIsNotWritten",
		"TestAVetoIsInTheGroupsCondition",
		"TestPodsGatedByAnEarlierInstallation",
		"TestBerthKilledWhileItsPodsAreShown", "TestNamesAreUsedAgainBehindKubeSchedulersBack",
		"TestABrokenGangIsTakenOutOfSight",
		"TestMemberDeletedWhileItIsShown",
		"TestMemberDeletedWhileOthersAreHeld",
		"TestNodeDeletedWhileMembersAreHeld",
		"TestASlowKubeSchedulerBlocksNoSession",
		"TestTheLeaderIsKilled",
		"TestTheLeaderIsKilledAmidBindings",
		"TestTheLeaderStops", "TestTheLeadersKubeSchedulerIsLost", "TestOthersTakeTheRoomOfHeldMembers",
		"TestPodsThatWaitForNodesAreUnschedulable",
		"TestPodsThatWaitForTheirQueueAreNot",
		// By Helm, on control planes of their own.
		"TestTheChartIsUpgradedFromTheOneBefore",
		"TestTheChartIsInstalledChangedAndRemoved",
		"TestDefinitionsOfOthersAreLeft",
		"TestTheFirstGangByHelm",
		"TestPodsGetTheirNodesByTheChart",
		"TestTheChartServesTLS",
		// The documents show the layout beside.
		"TestStoryOfTheFirstGang", "TestStoryOfTheFirstGPUJob",
		"TestStoryOfTheInstallation", "TestStoryOfTheMoveFromVolcano", "TestStoryOfTheMoveFromKueue",
		"TestStoryOfAUserWithoutRights",
		// Of documents, charts, rights, rules, tables and forecasts: the mode does not matter.
		"TestEachAlertHasALineInTheDocuments", "TestAlertsAndQueriesNameMetricsThatThereAre",
		"TestAlertsFireAndAreSilent",
		"TestTheChartIsAccepted", "TestTheChartRefusesAModeWithoutAView",
		"TestTheChartForAnOutsideSchedulerIsAccepted", "TestTheChartMakesWhatTheBaseMakes",
		"TestTheChartMakesWhatTheOverlayForNodesMakes", "TestTheChartGatesAsThePolicyDoes",
		"TestTheChartHasNoLint", "TestTheChartRefusesWrongValues", "TestSchedulerNamesFeedEverything",
		"TestTheDeploymentHasWhatValuesSay", "TestTLSIsConfiguredEverywhere",
		"TestOnlyNamedPeersReachBerthd", "TestThePagesHaveAService", "TestTheUserIsOpenShiftsThere",
		"TestAQuotaIsMadeWhereTheClassNeedsOne", "TestTheDashboardIsForGrafanasSidecar",
		"TestAlertsAreOnMetricsThatAreThere",
		"TestTheChartFitsEachVersion", "TestTheSchemasFindWhatAVersionLacks",
		"TestTheNotesSayWhatIsLeftOut",
		"TestQueuesAreAcceptedFromTheFirstMoment",
		"TestOnlyBerthHasAToken", "TestOnlyThePagesAreOpenAndToNobody",
		"TestTheFlowSchemaIsForBothAccounts",
		"TestKustomizationsAreAccepted", "TestExamplesAreAccepted",
		"TestTheSchedulersConfigurationsAgree", "TestTheKubeconfigOfTheViewAgrees",
		"TestBerthsPodsAreRestricted", "TestBerthsRequestsHaveTheirPriority",
		"TestDocumentsAreReadAndCompared",
		"TestProxyHoldsDropsAndLoses", "TestStreamingListsAreServed",
		"TestServersRestartUnderTheHarness",
		"TestTheKnownFieldsOfPodsAreThoseOfKubernetes", "TestTheCopyOfKubernetesDefinitionsIsRight",
		"TestATargetIsNamedOnlyByThoseWhoMay", "TestATargetIsNotNamedLater",
		"TestATargetIsNotNamedByAStatus", "TestPodsOfCheckedTemplatesAreMade",
		"TestQueuesAreForTheirNamespaces", "TestQueueSelectorsMustBeSelectors",
		"TestNobodyGoesRoundBerthWhereItIsRequired", "TestPodsAreBerthsWhereItIsRequired",
		"TestATargetIsNamedForTheQueueOfItsJob", "TestWhatLeavesItsControllerIsCheckedAnew",
		"TestJobsWaitInAQueueThatIsNotForThem", "TestANameNeedsTheRightToReserve",
		"TestAForgedElectionIsTakenAway",
		"TestQueuesThatMakeNoSenseAreRefused", "TestQueuesThatMakeSenseAreAccepted",
		"TestAChildIsNotGuaranteedMoreThanItsParent", "TestDefaultAndRootAreNotDeleted",
		"TestGuaranteesAreLimitedByUser", "TestWhatIsBeyondTheLimitMayShrink",
		"TestDefinitionsWithoutRulesAreAccepted",
		"TestControllersActForOwners", "TestOperatorsActForOwners",
		"TestARealClusterIsRecordedAndSimulated",
		"TestTheStartOfAWaitingGangIsForecast", "TestTheStartOfAWaitingGangIsForecastOfBerthd",
		"TestAPromisedStartComesTrue", "TestABrokenPromiseIsAnEvent",
		"TestAUserWithViewAsksWhy", "TestWhyMeetsAJobThatIsPlannedPodByPod",
		"TestAJobSaysItsPosition", "TestALargeGangHasEventsOnItsFirstPods",
	},
}

// sinceMinor names the tests of what a Kubernetes before 1.x does not have.
var sinceMinor = map[string]int{
	"TestKubernetesOwnGroups":                      36, // their API
	"TestCompositePodGroups":                       37,
	"TestDevicesOfAClass":                          35, // their feature gate
	"TestAGangWithoutDevicesWaits":                 34,
	"TestARefusalAmidWavesEndsInAPause":            34,
	"TestAVetoIsNotWritten":                        34,
	"TestAVetoIsInTheGroupsCondition":              34,
	"TestStreamingListsAreServed":                  35, // by default
	"TestQueuesThatMakeNoSenseAreRefused":          34, // rules in deploy/crds
	"TestQueuesThatMakeSenseAreAccepted":           34,
	"TestAQueueAtFaultHarmsNobody":                 34,
	"TestDefinitionsWithoutRulesAreAccepted":       34,
	"TestAChildIsNotGuaranteedMoreThanItsParent":   30, // deploy/admission/queues
	"TestDefaultAndRootAreNotDeleted":              30,
	"TestGuaranteesAreLimitedByUser":               30,
	"TestWhatIsBeyondTheLimitMayShrink":            30,
	"TestQueuesAreAcceptedFromTheFirstMoment":      30,
	"TestATargetIsNamedOnlyByThoseWhoMay":          30, // deploy/admission/permissions
	"TestBerthdsAccountWritesOnlyWhatItNeeds":      30,
	"TestATargetIsNotNamedLater":                   30,
	"TestATargetIsNotNamedByAStatus":               30,
	"TestATargetIsNamedForTheQueueOfItsJob":        30,
	"TestWhatLeavesItsControllerIsCheckedAnew":     30,
	"TestPodsOfCheckedTemplatesAreMade":            30,
	"TestQueuesAreForTheirNamespaces":              30,
	"TestNobodyGoesRoundBerthWhereItIsRequired":    30,
	"TestStoryOfAUserWithoutRights":                30,
	"TestPodsAreBerthsWhereItIsRequired":           36,
	"TestTheChartMakesWhatTheBaseMakes":            32, // probes of kube-scheduler
	"TestKustomizationsAreAccepted":                34, // deploy/admission/v1
	"TestTheChartForAnOutsideSchedulerIsAccepted":  34,
	"TestTheChartGatesAsThePolicyDoes":             34,
	"TestTheChartMakesWhatTheOverlayForNodesMakes": 34,
	"TestPodsGetTheirNodesByTheChart":              34,
}

// leftOut are the tests that do not apply to a mode and a version; they are not reported as skipped.
func leftOut(mode string, minor int) []string {
	var names []string
	for only, tests := range onlyIn {
		if only != mode {
			names = append(names, tests...)
		}
	}
	for name, since := range sinceMinor {
		if minor < since {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// leaveOut has the tests of another mode, or of a newer version, not run.
func leaveOut(mode string, minor int) error {
	pattern := "^(" + strings.Join(leftOut(mode, minor), "|") + ")$"
	if before := flag.Lookup("test.skip").Value.String(); before != "" {
		pattern = before + "|" + pattern
	}
	return flag.Set("test.skip", pattern)
}

func TestTheTablesOfModesAndVersionsNameTests(t *testing.T) {
	isTest := func(file fs.FileInfo) bool { return strings.HasSuffix(file.Name(), "_test.go") }
	packages, err := parser.ParseDir(token.NewFileSet(), ".", isTest, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	there := map[string]bool{}
	for _, parsed := range packages {
		for _, file := range parsed.Files {
			for _, declared := range file.Decls {
				if function, is := declared.(*ast.FuncDecl); is {
					there[function.Name.Name] = true
				}
			}
		}
	}
	named := slices.Concat(slices.Collect(maps.Values(onlyIn))...)
	for _, name := range slices.Concat(named, slices.Collect(maps.Keys(sinceMinor))) {
		if !there[name] {
			t.Errorf("%s is named, and there is no such test", name)
		}
	}
	if len(leftOut(harness.InPlace, 37)) != len(onlyIn[harness.ThroughView]) {
		t.Error(fmt.Sprint("left out in place: ", leftOut(harness.InPlace, 37)))
	}
}
