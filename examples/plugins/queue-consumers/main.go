// queue-consumers is a plugin that Sluice starts itself, with HashiCorp's go-plugin. What it steers
// lives in its own memory: for each workload a group of consumers, each on a revision. They are
// replaced one at a time, in the background, and calls are answered at once.
//
// The memory is lost when the plugin is killed. VerifyWeight then finds less than what is asked
// for, and takes the work up again.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	goplugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	v1 "sluice.dev/examples/plugins/queue-consumers/pluginv1"
)

var handshake = goplugin.HandshakeConfig{
	ProtocolVersion:  1,
	MagicCookieKey:   "SLUICE_PLUGIN_MAGIC",
	MagicCookieValue: "0f7b1c9e2d6a4583b1e4c07a9d3f5e62",
}

// service answers the calls. Everything it needs to know comes with each of them.
type service struct {
	v1.UnimplementedResourcePluginServer
	groups *groups
}

type request interface {
	GetWorkload() *v1.WorkloadRef
	GetConfig() string
}

func (s *service) find(r request) (*group, error) {
	workload := r.GetWorkload()
	if workload.GetKind() != "ConsumerGroup" {
		return nil, status.Error(codes.InvalidArgument, "this plugin steers a ConsumerGroup")
	}
	wanted, err := readConfig(r.GetConfig())
	if err != nil {
		return nil, status.Error(codes.InvalidArgument, err.Error())
	}
	return s.groups.find(workload.GetNamespace()+"/"+workload.GetName(), wanted), nil
}

func (s *service) Init(_ context.Context, r *v1.InitRequest) (*v1.InitResponse, error) {
	_, err := s.find(r)
	return &v1.InitResponse{}, err
}

func (s *service) GetResourceStatus(_ context.Context, r *v1.GetResourceStatusRequest) (*v1.ResourceStatus, error) {
	group, err := s.find(r)
	if err != nil {
		return nil, err
	}
	seen := group.look()
	return &v1.ResourceStatus{
		Replicas:          int32(seen.all),
		UpdatedReplicas:   int32(seen.updated),
		ReadyReplicas:     int32(seen.all),
		AvailableReplicas: int32(seen.all),
		CurrentRevision:   seen.current,
		UpdatedRevision:   seen.next,
		Ready:             true,
	}, nil
}

// Sluice names the revision that it means: one that came in between is not moved.
var errAnother = status.Error(codes.FailedPrecondition, "the new revision is another one by now")

func (s *service) SetWeight(_ context.Context, r *v1.SetWeightRequest) (*v1.SetWeightResponse, error) {
	group, err := s.find(r)
	if err != nil {
		return nil, err
	}
	if r.GetWeight() < 0 || r.GetWeight() > 100 {
		return nil, status.Error(codes.InvalidArgument, "a weight is a number from 0 to 100")
	}
	if !group.leadsTo(r.GetRevision()) {
		return nil, errAnother
	}
	group.aim(int(r.GetWeight()))
	fmt.Fprintf(os.Stderr, "%s goes to %d percent\n", r.GetWorkload().GetName(), r.GetWeight())
	return &v1.SetWeightResponse{}, nil
}

func (s *service) VerifyWeight(_ context.Context, r *v1.VerifyWeightRequest) (*v1.VerifyWeightResponse, error) {
	group, err := s.find(r)
	if err != nil {
		return nil, err
	}
	if !group.leadsTo(r.GetRevision()) {
		return nil, errAnother
	}
	updated, wanted := group.aim(int(r.GetWeight()))
	if updated == wanted {
		return &v1.VerifyWeightResponse{Verified: true}, nil
	}
	message := fmt.Sprintf("%d of %d consumers are on the new revision", updated, wanted)
	return &v1.VerifyWeightResponse{Message: message}, nil
}

func (s *service) Promote(_ context.Context, r *v1.PromoteRequest) (*v1.PromoteResponse, error) {
	group, err := s.find(r)
	if err != nil {
		return nil, err
	}
	if !group.leadsTo(r.GetRevision()) {
		return nil, errAnother
	}
	group.promote()
	return &v1.PromoteResponse{}, nil
}

func (s *service) Abort(_ context.Context, r *v1.AbortRequest) (*v1.AbortResponse, error) {
	group, err := s.find(r)
	if err == nil {
		group.aim(0)
	}
	return &v1.AbortResponse{}, err
}

func (s *service) Restart(_ context.Context, r *v1.RestartRequest) (*v1.RestartResponse, error) {
	group, err := s.find(r)
	if err == nil {
		group.aim(0)
	}
	return &v1.RestartResponse{}, err
}

// grpcPlugin is how go-plugin learns of the service.
type grpcPlugin struct {
	goplugin.NetRPCUnsupportedPlugin
}

func (grpcPlugin) GRPCServer(_ *goplugin.GRPCBroker, server *grpc.Server) error {
	v1.RegisterResourcePluginServer(server, &service{groups: newGroups(50 * time.Millisecond)})
	return nil
}

func (grpcPlugin) GRPCClient(context.Context, *goplugin.GRPCBroker, *grpc.ClientConn) (any, error) {
	return nil, fmt.Errorf("this program is a plugin, not a host of plugins")
}

func main() {
	goplugin.Serve(&goplugin.ServeConfig{
		HandshakeConfig: handshake,
		Plugins:         goplugin.PluginSet{"resource": grpcPlugin{}},
		GRPCServer:      goplugin.DefaultGRPCServer,
	})
}
