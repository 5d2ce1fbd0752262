import type { CatalogueEntry } from './catalogue.ts';

/** Findings about Ingresses, their classes, Services and endpoints. */
export const INGRESS_FINDINGS = {
  wrongShape: {
    code: 'WEIR0100',
    severity: 'error',
    title: 'Object has the wrong shape',
    explanation:
      'A field is missing or has a value of the wrong kind, so an API server would refuse the object. The version before it stays in force; where there was none, the object is not used.',
    fix: 'Write the field as `kubectl explain` describes it.',
  },
  hostInvalid: {
    code: 'WEIR0101',
    severity: 'error',
    title: 'Host name is invalid',
    explanation:
      'A host is a DNS name of lower-case labels, or such a name with `*.` in front, which stands for exactly one label. The rule is left out; the other rules of the Ingress are served.',
    fix: 'Write a name like `shop.example` or `*.shop.example`, without port or address.',
  },
  pathInvalid: {
    code: 'WEIR0102',
    severity: 'error',
    title: 'Path is invalid',
    explanation:
      'A path that does not begin with `/`, or that holds control characters, can not be served. It is left out; the other paths are served.',
    fix: 'Write a path that begins with `/` and holds no control characters.',
  },
  serviceNotFound: {
    code: 'WEIR0103',
    severity: 'error',
    title: 'Service not found',
    explanation:
      'The backend names a Service that does not exist in the namespace of the Ingress. The route answers 503.',
    fix: 'Create the Service, or correct its name.',
  },
  servicePortNotFound: {
    code: 'WEIR0104',
    severity: 'error',
    title: 'Service port not found',
    explanation: 'The Service exists but has no TCP port of that name or number. The route answers 503.',
    fix: 'Use a port that the Service has, or add the port to the Service.',
  },
  noEndpoints: {
    code: 'WEIR0105',
    severity: 'warning',
    title: 'Service has no endpoints',
    explanation:
      'No endpoint of the Service is ready or still draining on this port. The route answers 503 until there is one.',
    fix: 'See that its selector matches running pods and that they are ready.',
  },
  pathConflict: {
    code: 'WEIR0106',
    severity: 'error',
    title: 'Path is already taken',
    explanation:
      'Another rule has the same host and path. The oldest Ingress wins (between equally old ones the first by namespace and name, within one Ingress the first in its list, or, where paths are regular expressions, the most exact type); this path is not served.',
    fix: 'Remove one of the two, or give them different paths.',
  },
  pathTypeUnknown: {
    code: 'WEIR0107',
    severity: 'error',
    title: 'Path type is unknown',
    explanation: 'The path types are Exact, Prefix and ImplementationSpecific. The path is not served; the others are.',
    fix: 'Write Exact, Prefix or ImplementationSpecific.',
  },
  resourceBackend: {
    code: 'WEIR0108',
    severity: 'error',
    title: 'Resource backend is not supported',
    explanation: 'The backend is an object other than a Service. The route answers 503.',
    fix: 'Use `backend.service`.',
  },
  endpointRefused: {
    code: 'WEIR0109',
    severity: 'error',
    title: 'Endpoint address is refused',
    explanation:
      'An endpoint must be an IPv4 or IPv6 address outside the link-local, multicast and unspecified ranges, and in a cluster outside loopback. The endpoint is not used.',
    fix: 'Correct the address where it comes from.',
  },
  pathNeverMatches: {
    code: 'WEIR0110',
    severity: 'warning',
    title: 'Path can never match',
    explanation:
      'Paths are compared with the request path after it was decoded and normalised: `%41` is `A`, `//` is `/`, `.` and `..` are resolved, the query is not part of it. What this path asks for is never seen.',
    fix: 'Write the path decoded and normalised.',
  },
  pathBecameRegex: {
    code: 'WEIR0111',
    severity: 'warning',
    title: 'Path is read as a regular expression',
    explanation:
      'As with ingress-nginx, `use-regex` or `rewrite-target` on one Ingress turns all paths of its host into regular expressions that match without case and from the start, also those of other Ingresses and also Exact ones.',
    fix: 'Give the regular expressions a host of their own, or end this path with `$` where it must match exactly.',
  },
  canaryWithoutMain: {
    code: 'WEIR0112',
    severity: 'error',
    title: 'Canary has no main route',
    explanation:
      'A canary Ingress adds a backend to a route with the same host, path and path type; there is none. It is not served.',
    fix: 'Create the main Ingress, or make host, path and path type of the two the same.',
  },
  canaryExtra: {
    code: 'WEIR0113',
    severity: 'error',
    title: 'Route already has a canary',
    explanation: 'A route takes one canary: the oldest. This one gets no requests.',
    fix: 'Remove one of the canary Ingresses.',
  },
  canaryForeign: {
    code: 'WEIR0114',
    severity: 'error',
    title: 'Canary is in another namespace',
    explanation:
      'A canary takes requests of its main route, so only an Ingress in the same namespace may be one. It is not served.',
    fix: 'Create the canary Ingress in the namespace of the main one.',
  },
  classOfOther: {
    code: 'WEIR0115',
    severity: 'warning',
    title: 'Class belongs to another controller',
    explanation:
      'weir is told to serve this class, but its IngressClass object names another controller, which is respected: its Ingresses are not served.',
    fix: 'Set `spec.controller` to `weir.dev/ingress-controller` (delete the IngressClass and create it again: the field is immutable), or take the class out of `--ingress-class`.',
  },
  severalDefaultClasses: {
    code: 'WEIR0116',
    severity: 'warning',
    title: 'Several default classes',
    explanation:
      'More than one IngressClass is marked as the default. The newest is taken, between equally new ones the first by name.',
    fix: 'Leave the annotation `ingressclass.kubernetes.io/is-default-class` on one of them.',
  },
  notServed: {
    code: 'WEIR0117',
    severity: 'info',
    title: 'Ingress is not served',
    explanation:
      'The Ingress names a class that weir does not serve and for which there is no IngressClass object, or it names none and there is no default.',
    fix: 'Set `spec.ingressClassName` to a class that weir serves, or add the class to `--ingress-class`.',
  },
  classTwice: {
    code: 'WEIR0118',
    severity: 'warning',
    title: 'Class is given twice',
    explanation:
      'Annotation `kubernetes.io/ingress.class` and field `spec.ingressClassName` name different classes. The annotation wins, as the Ingress API says.',
    fix: 'Remove the annotation, which is deprecated.',
  },
  externalNameInvalid: {
    code: 'WEIR0119',
    severity: 'error',
    title: 'External name is invalid',
    explanation:
      'A Service of type ExternalName has no name, one that is no DNS name, or one that leads back to itself. A number that some programs read as an address (`127.1`, `0x7f000001`, `2130706433`) is no DNS name. Its routes answer 503.',
    fix: 'Set `spec.externalName` to a DNS name outside the loop, or to an address in its usual form (`192.0.2.7`).',
  },
  externalNameUnresolved: {
    code: 'WEIR0120',
    severity: 'warning',
    title: 'External name can not be resolved',
    explanation: 'DNS gave no address for the name. Routes answer 503 until it does.',
    fix: 'Correct `spec.externalName`, or see why DNS does not know it.',
  },
  noServiceAddress: {
    code: 'WEIR0121',
    severity: 'warning',
    title: 'Service has no address of its own',
    explanation:
      '`service-upstream` asks for the address of the Service, which is headless or external. Its endpoints are used.',
    fix: 'Remove `service-upstream`, or give the Service a cluster address.',
  },
  backendIncomplete: {
    code: 'WEIR0122',
    severity: 'error',
    title: 'Backend is incomplete',
    explanation:
      'A backend needs a Service with a port name or a port number, and only one of the two. The route answers 503.',
    fix: 'Set `service.name` and one of `service.port.name` and `service.port.number`.',
  },
  pathRegexInvalid: {
    code: 'WEIR0123',
    severity: 'error',
    title: 'Path is no valid regular expression',
    explanation:
      'Paths of this host are read as regular expressions, and this one can not be compiled. What it surely begins with (`/shop` of `/shop/(`, up to the first special character) answers 503, so that its requests don’t go to a less exact path; where that is no more than `/`, the path is left out. The others are served.',
    fix: 'Correct the expression; put a backslash before characters that are meant as such.',
  },
  sliceOfNames: {
    code: 'WEIR0124',
    severity: 'warning',
    title: 'EndpointSlice holds names',
    explanation: 'Only slices of address type IPv4 and IPv6 are used.',
    fix: 'Use a Service of type ExternalName for names.',
  },
  pathTypeMissing: {
    code: 'WEIR0125',
    severity: 'warning',
    title: 'Path type is missing',
    explanation:
      'networking.k8s.io/v1 demands a path type, so an API server refuses the object. weir reads it as ImplementationSpecific, which is what older versions of the API meant.',
    fix: 'Write `pathType: Prefix`, Exact or ImplementationSpecific.',
  },
  hostUpperCase: {
    code: 'WEIR0126',
    severity: 'warning',
    title: 'Host name has upper-case letters',
    explanation:
      'Host names are compared without case, and an API server takes only lower-case ones: it refuses the object. weir reads the name in lower case.',
    fix: 'Write the host name in lower case.',
  },
  nothingServed: {
    code: 'WEIR0127',
    severity: 'warning',
    title: 'No Ingress is served',
    explanation:
      'There are Ingresses, and not one of them is of a class that weir serves: every request gets 404. This is right where all of them are meant for another controller, and a missing `--ingress-class` otherwise.',
    fix: 'Add the class to `--ingress-class`.',
  },
  endpointIsWeir: {
    code: 'WEIR0128',
    severity: 'error',
    title: 'Endpoint is weir itself',
    explanation:
      'The address is one of this machine, and the port one that weir listens on: its HTTP or HTTPS port, from which the request would come back without end, or its admin server, which would be open to all clients of the route. The endpoint is not used, whether it comes from an EndpointSlice, Endpoints, an external name or the address of the Service.',
    fix: 'Correct the port or the address where it comes from; start weir on other ports if something else is meant to have this one.',
  },
  shortServiceName: {
    code: 'WEIR0129',
    severity: 'warning',
    title: 'URL names a Service by a short name',
    explanation:
      'The host of the URL is asked of DNS as it stands, without the search domains that a Pod has, so that `http://auth:4180` and `http://auth.sso:4180` lead nowhere although the Service is there. weir itself finds a Service by its name in the cluster’s DNS.',
    fix: 'Write the name in full: `NAME.NAMESPACE.svc.cluster.local`.',
  },
} as const satisfies Record<string, CatalogueEntry>;
