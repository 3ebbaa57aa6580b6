package harness

import (
	"fmt"

	core "k8s.io/api/core/v1"
	device "k8s.io/api/resource/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const deviceDriver = "e2e.berth.dev"

// CreateDeviceClaim makes a ResourceClaim for one device of a class of this test, which no node has.
func (e *Env) CreateDeviceClaim(name string) {
	e.Helper()
	_, err := e.Client.ResourceV1().DeviceClasses().Get(e.Context, e.Namespace, meta.GetOptions{})
	if err != nil {
		e.CreateDeviceClass("")
	}
	claim := &device.ResourceClaim{ObjectMeta: meta.ObjectMeta{Name: name},
		Spec: device.ResourceClaimSpec{Devices: device.DeviceClaim{
			Requests: []device.DeviceRequest{{Name: "one",
				Exactly: &device.ExactDeviceRequest{DeviceClassName: e.Namespace}}}}}}
	_, err = e.Client.ResourceV1().ResourceClaims(e.Namespace).Create(e.Context, claim,
		meta.CreateOptions{})
	e.Must(err)
}

// CreateDeviceClass makes the class of this test, by whose resource pods may ask for it as well.
func (e *Env) CreateDeviceClass(resource string) {
	e.Helper()
	class := &device.DeviceClass{ObjectMeta: meta.ObjectMeta{Name: e.Namespace},
		Spec: device.DeviceClassSpec{Selectors: []device.DeviceSelector{{
			CEL: &device.CELDeviceSelector{Expression: `device.driver == "` + deviceDriver + `"`}}}}}
	if resource != "" {
		class.Spec.ExtendedResourceName = &resource
	}
	classes := e.Client.ResourceV1().DeviceClasses()
	_, err := classes.Create(e.Context, class, meta.CreateOptions{})
	e.Must(err)
	e.Cleanup(func() { e.Must(classes.Delete(e.Context, e.Namespace, meta.DeleteOptions{})) })
}

// AddDevices publishes so many devices of this test's class on a node, which may come later.
func (e *Env) AddDevices(node string, count int) {
	e.Helper()
	slice := &device.ResourceSlice{ObjectMeta: meta.ObjectMeta{Name: node},
		Spec: device.ResourceSliceSpec{Driver: deviceDriver, NodeName: &node,
			Pool: device.ResourcePool{Name: node, ResourceSliceCount: 1}}}
	for i := range count {
		slice.Spec.Devices = append(slice.Spec.Devices, device.Device{Name: fmt.Sprintf("d%d", i)})
	}
	slices := e.Client.ResourceV1().ResourceSlices()
	_, err := slices.Create(e.Context, slice, meta.CreateOptions{})
	e.Must(err)
	e.Cleanup(func() { e.Must(slices.Delete(e.Context, node, meta.DeleteOptions{})) })
}

// Device makes the pod use the ResourceClaim of its own name.
func (b PodBuilder) Device() PodBuilder {
	claim := b.pod.Name
	b.pod.Spec.ResourceClaims = []core.PodResourceClaim{{Name: "device", ResourceClaimName: &claim}}
	b.pod.Spec.Containers[0].Resources.Claims = []core.ResourceClaim{{Name: "device"}}
	return b
}
