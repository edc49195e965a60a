// Why a rollout is where it is. One table with six uses: annotations and conditions, events, metric
// labels, logs, docs/reasons.md and tests. A name, once released, is not renamed.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace sluice::engine {

// How a person should take it: as information, or as a warning.
enum class Tone : std::uint8_t { Normal, Warning };

// X(name, tone, what it means, what unblocks it)
#define SLUICE_REASONS(X)                                                                          \
    X(Idle, Normal, "No rollout is pending.", "")                                                  \
    X(Adopted, Normal, "Sluice steers this workload from now on; its gate is closed.", "")         \
    X(RolloutStarted, Normal, "A new revision was found; the gate is closed until it may pass.",   \
      "")                                                                                          \
    X(AskingHook, Normal, "The hook is being asked whether the next pod may be updated.",          \
      "An answer of the hook.")                                                                    \
    X(HookAllowed, Normal, "The hook let the next pod pass.", "")                                  \
    X(ChecksPassed, Normal, "Enough checks in a row have passed: the next pod may be updated.",    \
      "")                                                                                          \
    X(StepTaken, Normal, "The next step of the rollout was taken: more pods may be updated.", "")  \
    X(HookRefused, Warning, "The hook did not let the next pod pass.",                             \
      "The hook is asked again by itself until it allows the step.")                               \
    X(UnknownHook, Warning, "The label names a hook that does not exist.",                         \
      "Correct the label, or declare the hook in the ConfigMap sluice-hooks.")                     \
    X(BrokenHook, Warning, "The hook is declared, but its declaration cannot be used.",            \
      "Correct the entry in the ConfigMap sluice-hooks.")                                          \
    X(PodsNotReady, Normal,                                                                        \
      "Pods are missing, not ready, or not yet on the revision they should "                       \
      "be on.",                                                                                    \
      "The pods become ready by themselves, or a person repairs or deletes the broken one.")       \
    X(StatusStale, Normal, "The StatefulSet controller has not yet seen the latest change.",       \
      "The StatefulSet controller; look at kube-controller-manager if this lasts.")                \
    X(SettlingRevision, Normal, "All pods are updated; Kubernetes has not yet closed the books.",  \
      "The StatefulSet controller, as soon as all pods are ready.")                                \
    X(Settling, Normal, "What was updated last is ready, and gets time to show what is wrong.",    \
      "The time passes by itself.")                                                                \
    X(RolloutCompleted, Normal, "All pods run the new revision and the gate is closed again.", "") \
    X(OnDelete, Warning,                                                                           \
      "The update strategy is not RollingUpdate, so there is no gate to steer.",                   \
      "Set spec.updateStrategy.type to RollingUpdate.")                                            \
    X(ClaimedByOther, Warning, "Somebody else steers this workload.",                              \
      "Remove the other one, or this one.")                                                        \
    X(GateBypassed, Warning, "Somebody else opened the gate; it was closed again.",                \
      "Find out who writes spec.updateStrategy.rollingUpdate.partition.")                          \
    X(PartitionRaised, Warning,                                                                    \
      "Somebody raised the partition in mid-rollout; Sluice takes that "                           \
      "for a brake and waits.",                                                                    \
      "Set the annotation sluice.dev/retry to a new value.")                                       \
    X(PartitionRestored, Warning,                                                                  \
      "Somebody set the partition to the number of replicas in mid-rollout, as a manifest does "   \
      "that holds it; Sluice puts the gate back.",                                                 \
      "Leave spec.updateStrategy.rollingUpdate.partition out of the manifest.")                    \
    X(PartitionContested, Warning,                                                                 \
      "A rule of the cluster or another writer changes what Sluice writes to the partition.",      \
      "Run the operator as the ServiceAccount that the admission policies know, or find the "      \
      "webhook that changes the partition.")                                                       \
    X(MembersStarting, Normal, "Members are made, one after the other or all at once.",            \
      "The members become ready by themselves.")                                                   \
    X(MemberLeaving, Normal,                                                                       \
      "A pod is on its way out, and its successor waits for it to be gone.",                       \
      "The kubelet stops the pod; if its node is lost for good, delete the node.")                 \
    X(MemberFound, Normal, "A pod of the cluster that was not written down is a member now.", "")  \
    X(MemberReplaced, Normal, "A member is replaced by a new one, with an identity of its own.",   \
      "")                                                                                          \
    X(MemberUpdated, Normal, "A member is updated in place: its pod gets other images.", "")       \
    X(NotInPlace, Warning, "The update cannot be made in place, and nothing else is allowed.",     \
      "Set spec.updateStrategy.inPlace to IfPossible, or take the change back.")                   \
    X(MemberRemoved, Normal, "A member leaves because fewer are wanted.", "")                      \
    X(MemberRefused, Warning, "The API server refuses what a member is made of.",                  \
      "Correct what the message says; it is tried again by itself.")                               \
    X(VersionLeaving, Normal, "The new version serves; the one before it is being deleted.", "")   \
    X(VersionRemoved, Normal, "A version that is not needed any more was deleted.", "")            \
    X(VersionRefused, Warning, "The API server refuses the StatefulSet of a version.",             \
      "Correct what the message says; it is tried again by itself.")                               \
    X(ServiceSwitched, Normal, "A Service selects the pods of the version that serves.", "")       \
    X(ServiceNotSwitched, Warning,                                                                 \
      "A Service that is to follow the version that serves cannot be switched.",                   \
      "Correct what the message says; it is tried again by itself.")                               \
    X(ConfigChanged, Normal,                                                                       \
      "ConfigMaps or Secrets that the template names have changed: the pods are restarted, one "   \
      "after the other, once there is no further change for a while.",                             \
      "The end of the changes; or of the upgrade that is under way.")                              \
    X(ConfigMissing, Warning, "A ConfigMap or a Secret that the template names does not exist.",   \
      "Create it, or say in the template that it is optional.")                                    \
    X(ConfigUnseen, Warning,                                                                       \
      "The ConfigMaps and Secrets that the template names cannot be looked at.",                   \
      "The owner of the namespace binds the ClusterRole sluice-config there.")                     \
    X(ReferencesRefused, Warning,                                                                  \
      "The owner references of ConfigMaps and Secrets that the template names cannot be changed.", \
      "The owner of the namespace binds the ClusterRole sluice-config there.")                     \
    X(ClaimBlocked, Warning, "A claim that a version needs cannot be made or used.",               \
      "Correct what the message says; it is looked at again by itself.")                           \
    X(VolumesUnguarded, Warning,                                                                   \
      "Volumes can follow from version to version only where the admission policies of Sluice "    \
      "are in force, on Kubernetes 1.36 or newer.",                                                \
      "Install the policies with sluice manifests, on Kubernetes 1.36 or newer.")                  \
    X(TooManyUnready, Warning,                                                                     \
      "So many members are not ready that this is no failure of one: nobody is replaced.",         \
      "Members that become ready again; or a person deletes the pod that is to be replaced.")      \
    X(KeptBack, Normal, "Some members are to stay on the revision before.",                        \
      "Lower spec.updateStrategy.rollingUpdate.partition.")                                        \
    X(TooManyReplicas, Warning, "The workload has more pods than Sluice steers.",                  \
      "Scale it down.")                                                                            \
    X(Paused, Normal, "The annotation sluice.dev/paused is set.",                                  \
      "Remove the annotation sluice.dev/paused.")                                                  \
    X(StepPaused, Normal, "The rollout rests at a step that is a pause.",                          \
      "The pause ends by itself, or a person goes on.")                                            \
    X(AnalysisRunning, Normal, "Metrics are being measured.", "The measurements.")                 \
    X(AnalysisRunSuccessful, Normal, "The measurements were good.", "")                            \
    X(AnalysisRunFailed, Warning, "Measurements were bad: the rollout is aborted.",                \
      "A new template, or a restart.")                                                             \
    X(AnalysisRunError, Warning, "Measurements could not be made: the rollout is aborted.",        \
      "What the message says; then a restart.")                                                    \
    X(AnalysisRunInconclusive, Warning,                                                            \
      "Measurements were neither good nor bad: the rollout rests until a person decides.",         \
      "A person goes on, or aborts.")                                                              \
    X(JobRunning, Normal, "A Job is under way that must end well first.", "The Job.")              \
    X(JobFailed, Warning, "A Job that must end well has failed.",                                  \
      "What the message says; then a new template, or a retry.")                                   \
    X(RunUnderWay, Normal, "A Job runs.", "The Job.")                                              \
    X(RunSucceeded, Normal, "The last run has succeeded.", "")                                     \
    X(RunFailed, Warning, "The last run has failed.", "What the message says; then another run.")  \
    X(RunHeld, Warning, "A run has begun, and its Job cannot be made or looked at.",               \
      "What the message says; it is tried again by itself.")                                       \
    X(OutputHeld, Warning, "A Job has ended, and what it printed cannot be read or kept.",         \
      "What the message says; it is tried again by itself.")                                       \
    X(TooManyPods, Warning, "Jobs have run for as many pods as Sluice remembers of one object.",   \
      "A selector that finds fewer pods.")                                                         \
    X(PluginWorking, Normal, "The plugin brings the workload to where the step wants it.",         \
      "The plugin.")                                                                               \
    X(PluginError, Warning, "The plugin could not be asked, or could not do it.",                  \
      "What the message says; the plugin is asked again by itself.")                               \
    X(StuckPodReplaced, Normal,                                                                    \
      "A pod was never ready on a revision that is not wanted any more, and is replaced.",         \
      "The pod comes back by itself.")                                                             \
    X(GateFollowsScale, Normal,                                                                    \
      "The workload was scaled in mid-rollout; the gate was moved so that no more pods are "       \
      "exposed than the step allows.",                                                             \
      "")                                                                                          \
    X(Aborted, Warning, "The rollout was aborted.", "The updated pods return by themselves.")      \
    X(ScaledToZero, Warning,                                                                       \
      "The workload has no pods while a rollout is open: Kubernetes will "                         \
      "start them on the new revision, ungated.",                                                  \
      "Scale the workload up again.")                                                              \
    X(StaleLeader, Warning, "The annotation sluice.dev/fence names a newer leader.",               \
      "Nothing to do: the newer leader steers it, or the fence turns out to be nobody's.")         \
    X(PodsPredateSet, Warning,                                                                     \
      "Pods are older than the current revision of their set, which was made anew around them: "   \
      "Kubernetes brings a pod that dies back on the new revision, whatever the gate says.",       \
      "Nothing can be done but to keep the pods alive until the rollout has reached them.")        \
    X(InitialDelay, Normal,                                                                        \
      "All pods are available; Prometheus gets time to see the pod that was updated last.",        \
      "The initial delay passes by itself.")                                                       \
    X(CheckingMetrics, Normal, "Prometheus is asked until enough checks in a row have passed.",    \
      "Checks that pass.")                                                                         \
    X(CheckFailed, Warning, "The last check failed; Prometheus is asked again.",                   \
      "Checks that pass, as many in a row as successThreshold says.")                              \
    X(PrometheusError, Warning, "Prometheus could not be asked; that counts for nothing.",         \
      "A Prometheus that answers.")                                                                \
    X(PrometheusConfigError, Warning, "The check, as it is written, cannot be made.",              \
      "Correct spec.check.query, or the Secret that it names.")                                    \
    X(ChecksExhausted, Warning, "The checks of this pod failed; the rollout does not go on.",      \
      "A new template, a change to the spec, or a new value of the annotation sluice.dev/retry.")  \
    X(ProgressDeadlineExceeded, Warning, "The next pod was not reached in time.",                  \
      "A new template, a change to the spec, or a new value of the annotation sluice.dev/retry.")  \
    X(RollingBack, Warning,                                                                        \
      "The rollout failed; the updated pods return to the revision before, one by one.",           \
      "The pods come back by themselves.")                                                         \
    X(RolledBack, Warning, "The rollout failed and all pods are back on the revision before.",     \
      "A new template, or a new value of the annotation sluice.dev/retry.")                        \
    X(Suspended, Normal, "Checks are switched off: Kubernetes updates the pods by itself.",        \
      "Switch the checks on again.")                                                               \
    X(CannotManage, Warning, "This workload cannot be steered by this object.",                    \
      "What the message says.")                                                                    \
    X(TargetMissing, Warning, "The workload that is to be steered does not exist.",                \
      "Create it, or correct the reference.")                                                      \
    X(InvalidSpec, Warning, "The spec cannot be used as it is.", "Correct the fields it names.")   \
    X(TooManyBytes, Warning,                                                                       \
      "The objects of this namespace take more of Sluice's memory than a namespace may.",          \
      "Delete objects that are not needed any more, or make them smaller.")                        \
    X(InternalError, Warning,                                                                      \
      "Sluice met a defect of its own while it decided about this object, and holds it.",          \
      "Please report the message with the log line; a change to the object may avoid it.")         \
    X(Released, Normal, "Sluice no longer steers this workload.", "")

enum class Reason : std::uint8_t {
#define X(name, tone, meaning, unblock) name,
    SLUICE_REASONS(X)
#undef X
};

struct ReasonEntry {
    std::string_view name;
    std::string_view meaning;
    std::string_view unblock;
    Reason reason;
    Tone tone;
};

std::span<const ReasonEntry> reasons();
const ReasonEntry& entry(Reason reason);

}  // namespace sluice::engine
