package harness

import (
	core "k8s.io/api/core/v1"
	device "k8s.io/api/resource/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// CreateDeviceClaim makes a ResourceClaim for one device of a class of this test, which no node has.
func (e *Env) CreateDeviceClaim(name string) {
	e.Helper()
	classes := e.Client.ResourceV1().DeviceClasses()
	if _, err := classes.Get(e.Context, e.Namespace, meta.GetOptions{}); err != nil {
		class := &device.DeviceClass{ObjectMeta: meta.ObjectMeta{Name: e.Namespace},
			Spec: device.DeviceClassSpec{Selectors: []device.DeviceSelector{{
				CEL: &device.CELDeviceSelector{Expression: `device.driver == "e2e.berth.dev"`}}}}}
		_, err := classes.Create(e.Context, class, meta.CreateOptions{})
		e.Must(err)
		e.Cleanup(func() { e.Must(classes.Delete(e.Context, e.Namespace, meta.DeleteOptions{})) })
	}
	claim := &device.ResourceClaim{ObjectMeta: meta.ObjectMeta{Name: name},
		Spec: device.ResourceClaimSpec{Devices: device.DeviceClaim{
			Requests: []device.DeviceRequest{{Name: "one",
				Exactly: &device.ExactDeviceRequest{DeviceClassName: e.Namespace}}}}}}
	_, err := e.Client.ResourceV1().ResourceClaims(e.Namespace).Create(e.Context, claim,
		meta.CreateOptions{})
	e.Must(err)
}

// Device makes the pod use a ResourceClaim.
func (b PodBuilder) Device(claim string) PodBuilder {
	b.pod.Spec.ResourceClaims = []core.PodResourceClaim{{Name: "device", ResourceClaimName: &claim}}
	b.pod.Spec.Containers[0].Resources.Claims = []core.ResourceClaim{{Name: "device"}}
	return b
}
