import type { CatalogueEntry } from './catalogue.ts';

/** What a load balancer can't do or won't take, as findings about the object that asked for it. */
export const DRIVER_FINDINGS = {
  filterLeftOut: {
    code: 'WEIR0400',
    severity: 'warning',
    title: 'Filter not supported by the load balancer',
    explanation:
      'The load balancer that serves this route has no means for one of its filters. The route is served without that filter, because nothing that protects it depends on it.',
    fix: 'Remove the setting, or serve this object by a load balancer that supports it.',
  },
  accessRuleClosed: {
    code: 'WEIR0401',
    severity: 'error',
    title: 'Access rule not supported by the load balancer',
    explanation:
      'A rule that restricts access can not be enforced by this load balancer. Its route answers 503, because serving it without the rule would open it to everybody.',
    fix: 'Remove the rule if the route may be open, or serve this object by a load balancer that supports it.',
  },
  backendProtocol: {
    code: 'WEIR0402',
    severity: 'error',
    title: 'Backend protocol not supported by the load balancer',
    explanation: 'The load balancer can not speak the protocol of the backend. The route answers 503.',
    fix: 'Use one of the protocols http, https, h2c, grpc and grpcs for the backend.',
  },
  mixedProtocols: {
    code: 'WEIR0403',
    severity: 'error',
    title: 'Backends of one route are spoken to in different ways',
    explanation:
      'All backends of one route must speak the same protocol, with the same settings of TLS. Those that differ from the first one are left out, their share goes to the others.',
    fix: 'Give all backends of the route, canaries included, the same protocol and TLS settings.',
  },
  backendTls: {
    code: 'WEIR0404',
    severity: 'error',
    title: 'TLS towards the backend can not be as asked',
    explanation:
      'What the route asks of TLS towards its backend can not be done by this load balancer (nginx verifies one DNS name, the server name, and no URI), or what it needs can not be used: authorities or a certificate that are damaged, a key that is not that of its certificate, a name or a protocol that is none. The route answers 503, because forwarding without it would be less safe than asked.',
    fix: 'Correct what the message names; where it is a kind of name that can not be verified, verify the server name instead.',
  },
  badPattern: {
    code: 'WEIR0405',
    severity: 'error',
    title: 'Regular expression does not compile',
    explanation:
      'The engine that would run the regular expression refuses it. Its route answers 503; other routes of the host are served.',
    fix: 'Correct the regular expression (PCRE syntax).',
  },
  recordTooLarge: {
    code: 'WEIR0406',
    severity: 'error',
    title: 'Too large for the load balancer',
    explanation:
      'What one host, backend or certificate needs exceeds 1 MiB. Of such a host the object that was created last bears the surplus (in files, which have no time of creation: the largest object of the namespace that takes most): as many of its routes as needed answer 503, those that it lists last first, and the rest of the host is served. Where closing them one by one would still take too much room, what begins like their paths answers 503, unless a more exact route of another object takes it. Such a backend is served by as many endpoints as fit, and instead of such a certificate the default one is shown.',
    fix: 'Split it: fewer routes in one host, fewer endpoints in one backend, a shorter chain.',
  },
  quarantined: {
    code: 'WEIR0407',
    severity: 'error',
    title: 'Quarantined: the load balancer refuses its configuration',
    explanation:
      'A configuration with what this object asks for does not pass the load balancer’s own test. The object’s part is left out (its routes answer 503) and everything else is served. It is tried again when the object changes.',
    fix: 'Change the named setting of this object.',
  },
  portBlocked: {
    code: 'WEIR0408',
    severity: 'error',
    title: 'Port can not be bound',
    explanation:
      'The address and port of a listener are taken, not allowed or not on this machine. This listener is left out, the others serve; it is tried again every few seconds.',
    fix: 'Stop the process that holds the port, or give the listener another one.',
  },
  recordRefused: {
    code: 'WEIR0409',
    severity: 'error',
    title: 'Refused by the data plane',
    explanation:
      'The data plane could not use what was sent for this host, backend or certificate. The host answers 503 until it changes.',
    fix: 'Change the object; if nothing about it looks wrong, report this as a defect of weir.',
  },
  endpointAddress: {
    code: 'WEIR0410',
    severity: 'warning',
    title: 'Endpoint is not an IP address',
    explanation: 'An endpoint must be a parsed IPv4 or IPv6 address and a port. This one is left out.',
    fix: 'Give the endpoint an IP address.',
  },
  settingLeftOut: {
    code: 'WEIR0411',
    severity: 'warning',
    title: 'Setting not supported by the load balancer',
    explanation:
      'The load balancer has no means for a setting of this route or backend. The route is served without it.',
    fix: 'Remove the setting, or serve this object by a load balancer that supports it.',
  },
  l4Route: {
    code: 'WEIR0412',
    severity: 'error',
    title: 'TCP, UDP or TLS route not supported by the load balancer',
    explanation: 'This load balancer serves HTTP and HTTPS only. The route or listener is not served.',
    fix: 'Serve it by a load balancer that supports the protocol.',
  },
  zoneFull: {
    code: 'WEIR0413',
    severity: 'error',
    title: 'No room left in the data plane',
    explanation:
      'The shared memory of the load balancer is full. Everything that is already in force stays so; later changes wait until there is room.',
    fix: 'Raise the zone sizes of the nginx driver.',
  },
  notCompiled: {
    code: 'WEIR0414',
    severity: 'info',
    title: 'Checked without the load balancer',
    explanation:
      'nginx with its Lua module could not be used here, so regular expressions were judged by an approximation and the configuration was not tested.',
    fix: 'Install nginx, libnginx-mod-http-lua, lua-resty-core and lua-cjson to have everything checked.',
  },
  clientCertificate: {
    code: 'WEIR0415',
    severity: 'error',
    title: 'Client certificates can not be verified as asked',
    explanation:
      'The authorities that clients’ certificates must come from can not be read, or the load balancer has no means to verify by them. The host answers 503 (a listener is not opened), because serving it without would open it to everybody.',
    fix: 'Put PEM certificates of the authorities (and PEM revocation lists, if any) where the object refers to.',
  },
  noRoom: {
    code: 'WEIR0416',
    severity: 'error',
    title: 'Waits for room on the disk',
    explanation:
      'What this object asks for needs another nginx.conf, which can not be written, because the file system of the state directory is full. Hosts that need it stay as they were; everything else goes live. It is tried again every few seconds.',
    fix: 'Free some room on the file system of the state directory (--state-dir).',
  },
} as const satisfies Record<string, CatalogueEntry>;
