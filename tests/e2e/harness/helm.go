package harness

import (
	"fmt"
	"path/filepath"

	"helm.sh/helm/v3/pkg/action"
	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/release"
	"k8s.io/cli-runtime/pkg/genericclioptions"
)

// Release is one of a chart in Berth's namespace, written by Helm's library as `helm` does.
type Release struct {
	Name   string
	config *action.Configuration
}

// ShippedChart is the one of deploy/.
func ShippedChart() (*chart.Chart, error) { return loader.Load(Deploy("helm", "berth")) }

// NewRelease prepares a release for a user who may do everything, and installs nothing.
func (c *ControlPlane) NewRelease(name string) (*Release, error) {
	flags := genericclioptions.NewConfigFlags(false)
	kubeconfig, namespace := c.AdminKubeconfig(), Namespace
	cache := filepath.Join(c.Directory, "discovery")
	flags.KubeConfig, flags.Namespace, flags.CacheDir = &kubeconfig, &namespace, &cache
	r := &Release{Name: name, config: &action.Configuration{}}
	err := r.config.Init(flags, Namespace, "secret", func(string, ...any) {})
	return r, err
}

// Install is `helm install --create-namespace`.
func (r *Release) Install(chart *chart.Chart, values map[string]any,
	skipDefinitions bool) (*release.Release, error) {
	if err := r.refresh(); err != nil {
		return nil, err
	}
	install := action.NewInstall(r.config)
	install.ReleaseName, install.Namespace, install.CreateNamespace = r.Name, Namespace, true
	install.SkipCRDs = skipDefinitions
	return install.Run(chart, values)
}

// Upgrade is `helm upgrade`; reuse is its --reuse-values.
func (r *Release) Upgrade(chart *chart.Chart, values map[string]any,
	reuse bool) (*release.Release, error) {
	if err := r.refresh(); err != nil {
		return nil, err
	}
	upgrade := action.NewUpgrade(r.config)
	upgrade.Namespace, upgrade.ReuseValues = Namespace, reuse
	return upgrade.Run(r.Name, chart, values)
}

// Rollback is `helm rollback` to the revision.
func (r *Release) Rollback(revision int) error {
	if err := r.refresh(); err != nil {
		return err
	}
	rollback := action.NewRollback(r.config)
	rollback.Version = revision
	return rollback.Run(r.Name)
}

// Uninstall is `helm uninstall`.
func (r *Release) Uninstall() error {
	if err := r.refresh(); err != nil {
		return err
	}
	_, err := action.NewUninstall(r.config).Run(r.Name)
	return err
}

// refresh forgets what the API server served, as each `helm` does when it starts.
func (r *Release) refresh() error {
	r.config.Capabilities = nil
	discovery, err := r.config.RESTClientGetter.ToDiscoveryClient()
	if err != nil {
		return fmt.Errorf("helm: %w", err)
	}
	discovery.Invalidate()
	return nil
}

// Capabilities are those that Helm finds at the API server.
func (c *ControlPlane) Capabilities() (*chartutil.Capabilities, error) {
	version, err := c.Client.Discovery().ServerVersion()
	if err != nil {
		return nil, err
	}
	served, err := action.GetVersionSet(c.Client.Discovery())
	if err != nil {
		return nil, err
	}
	capabilities := chartutil.DefaultCapabilities.Copy()
	capabilities.APIVersions = served
	capabilities.KubeVersion = chartutil.KubeVersion{
		Version: version.GitVersion, Major: version.Major, Minor: version.Minor}
	return capabilities, nil
}
