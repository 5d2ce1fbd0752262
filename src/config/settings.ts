import Type, { type Static } from 'typebox';
import { parseCidr, parseIpAddress } from '../lib/ip-address.ts';

const NAMESPACE = '^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$';
const NAMESPACED_NAME = '^[a-z0-9]([-a-z0-9]*[a-z0-9])?/[a-z0-9]([-.a-z0-9]*[a-z0-9])?$';
const STREAM_ADDRESS = '^(unix:/.+|(\\[[0-9a-fA-F:.]+\\]|[^:\\s/]+):[0-9]{1,5})$';
const port = (fallback: number, description: string) =>
  Type.Integer({ minimum: 1, maximum: 65535, default: fallback, placeholder: 'PORT', description });
const duration = (fallback: string, description: string) =>
  Type.String({ pattern: '^[0-9]+([.][0-9]+)?(ms|s|m|h)?$', default: fallback, placeholder: 'DURATION', description });

/**
 * Everything that `weir run`, `weir controller` and `weir proxy` may be told (setting-commands.ts says which of them), in the order of the reference page. One name everywhere: `--http-port`,
 * `WEIR_HTTP_PORT`, and `http-port:` in weir.yaml. A list is a repeated flag, a comma-separated variable, a YAML list.
 */
export const Settings = Type.Object({
  manifests: Type.Array(Type.String({ minLength: 1 }), {
    default: [],
    placeholder: 'DIR',
    description: 'Folder (or file) of Kubernetes manifests to serve, watched for changes.',
  }),
  kubeconfig: Type.Optional(
    Type.String({
      minLength: 1,
      placeholder: 'FILE',
      description:
        'Serve the cluster of this kubeconfig instead of manifests. Without it, and without manifests: the files of KUBECONFIG, else the cluster in whose pod weir runs.',
    }),
  ),
  context: Type.Optional(
    Type.String({
      minLength: 1,
      placeholder: 'NAME',
      description:
        'Context of the kubeconfig. Default: its current one. Without kubeconfig and KUBECONFIG, one of ~/.kube/config.',
    }),
  ),
  configmap: Type.Optional(
    Type.String({
      pattern: NAMESPACED_NAME,
      placeholder: 'NAMESPACE/NAME',
      description:
        'ConfigMap of the cluster with further settings, one a key. Flags, environment and file come before it. It is followed: `log-level` takes effect at once, others at the next start, of which a finding tells.',
    }),
  ),
  'watch-namespace': Type.Array(Type.String({ pattern: NAMESPACE, placeholder: 'NAMESPACE' }), {
    default: [],
    placeholder: 'NAMESPACE',
    description:
      'Namespace of the cluster that is served. Default: all; where weir may not read all, its own or that of the context.',
  }),
  'watch-namespace-selector': Type.Optional(
    Type.String({
      minLength: 1,
      placeholder: 'SELECTOR',
      description: 'Serve the namespaces with these labels instead: `team=shop`, `weir in (yes, true)`.',
    }),
  ),
  'watch-ingress-without-class': Type.Boolean({
    default: false,
    description:
      'In a cluster, serve Ingresses that name no class also where no IngressClass is the default. Those of manifests are always served.',
  }),
  driver: Type.Array(Type.Enum(['nginx']), {
    default: ['nginx'],
    placeholder: 'NAME',
    description: 'Load balancer to program.',
  }),
  'http-port': port(80, 'Port on which plain HTTP is served.'),
  'https-port': port(443, 'Port on which HTTPS is served.'),
  'admin-address': Type.String({
    pattern: '^(\\[[0-9a-fA-F:.]+\\]|[^:\\s]+):[0-9]{1,5}$',
    default: '127.0.0.1:9180',
    placeholder: 'HOST:PORT',
    description:
      'Where health, metrics and the REST API are served. Beyond loopback only /healthz, /readyz and /metrics answer, unless admin-token-file is set.',
  }),
  'admin-token-file': Type.Optional(
    Type.String({
      minLength: 1,
      placeholder: 'FILE',
      description: 'File that holds the token which /api/ then asks for, as `Authorization: Bearer TOKEN`.',
    }),
  ),
  'state-dir': Type.Optional(
    Type.String({
      minLength: 1,
      placeholder: 'DIR',
      description:
        'Where the last good model and the load balancer’s files are kept. Default: /var/lib/weir for root, else $XDG_STATE_HOME/weir or ~/.local/state/weir.',
    }),
  ),
  'ingress-class': Type.Array(Type.String({ minLength: 1 }), {
    default: ['weir'],
    placeholder: 'NAME',
    description: 'Ingress class that is served.',
  }),
  'default-ssl-certificate': Type.Optional(
    Type.String({
      pattern: NAMESPACED_NAME,
      placeholder: 'NAMESPACE/NAME',
      description: 'TLS Secret used where no other certificate fits.',
    }),
  ),
  'trusted-proxies': Type.Array(
    Type.Refine(Type.String({ placeholder: '10.0.0.0/8' }), (text) => parseCidr(text) !== undefined),
    {
      default: [],
      placeholder: 'CIDR',
      description: 'Addresses of proxies in front of weir, whose X-Forwarded-* headers are believed.',
    },
  ),
  'dns-server': Type.Array(Type.Refine(Type.String({ placeholder: '10.96.0.10' }), isDnsServer), {
    default: [],
    placeholder: 'IP[:PORT]',
    description:
      'DNS server that is asked for the names of ExternalName Services, such as a cluster’s own. Default: those of this machine.',
  }),
  'access-log': Type.Optional(
    Type.String({
      minLength: 1,
      placeholder: 'FILE|off',
      description:
        'Where nginx writes its access log (JSON lines). Default: nginx/log/access.log in the state directory; `off` for none.',
    }),
  ),
  'log-level': Type.Enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal'], {
    default: 'info',
    placeholder: 'LEVEL',
    description: 'Least severe messages that weir logs.',
  }),
  nginx: Type.Optional(
    Type.String({
      minLength: 1,
      placeholder: 'FILE',
      description:
        'The nginx to run. Default: the first on the search path, else /usr/sbin/nginx. Of packages that were unpacked somewhere (`DIR/usr/sbin/nginx`) the modules and Lua libraries beside it are taken.',
    }),
  ),
  workers: Type.Union([Type.Literal('auto'), Type.Integer({ minimum: 1, maximum: 1024 })], {
    default: 'auto',
    placeholder: 'N|auto',
    description: 'Number of nginx worker processes; auto: one for each processor.',
  }),
  'drain-delay': duration(
    '5s',
    'When weir is told to stop, how long it goes on serving as before while each answer is the last of its connection: until whoever sends clients here (a Service, a load balancer) has stopped to.',
  ),
  'drain-timeout': duration(
    '25s',
    'How long requests and WebSockets may take after that, when nothing new is taken any more; then they are ended.',
  ),
  'share-ports': Type.Boolean({
    default: false,
    description:
      'Listen on ports although another weir of the same account does, as in a roll-out on the host’s network. Otherwise a port that is taken is reported.',
  }),
  'model-listen': Type.Array(Type.String({ pattern: STREAM_ADDRESS, placeholder: 'unix:PATH or HOST:PORT' }), {
    default: [],
    placeholder: 'unix:PATH|HOST:PORT',
    description:
      'Where the controller offers its model to proxies: on a unix socket for those in the same pod (its directory is made, for this user alone), on TCP under mutual TLS for others.',
  }),
  'model-from': Type.Array(Type.String({ pattern: STREAM_ADDRESS, placeholder: 'unix:PATH or HOST:PORT' }), {
    default: [],
    placeholder: 'unix:PATH|HOST:PORT',
    description:
      'Controller that the proxy follows. Of several, the first that answers; when it is lost, any other takes over.',
  }),
  'model-tls-dir': Type.Optional(
    Type.String({
      minLength: 1,
      placeholder: 'DIR',
      description:
        'Certificates of the model stream. The controller makes and renews them there, for itself and, in `proxy/`, for proxies; a proxy is given that folder (ca.crt, tls.crt, tls.key) and reads it again when it changes.',
    }),
  ),
  'model-tls-secret': Type.Optional(
    Type.String({
      pattern: NAMESPACED_NAME,
      placeholder: 'NAMESPACE/NAME',
      description:
        'Secret in which the controllers of a cluster keep the certificates of the model stream, instead of a folder. Secret NAME-proxy beside it is for the proxies’ pods to mount, as their model-tls-dir.',
    }),
  ),
  'proxy-name': Type.Optional(
    Type.String({
      pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,252}$',
      placeholder: 'NAME',
      description: 'What the controller calls this proxy in status and metrics. Default: the name of the machine.',
    }),
  ),
  'publish-service': Type.Optional(
    Type.String({
      pattern: NAMESPACED_NAME,
      placeholder: 'NAMESPACE/NAME',
      description: 'Service before weir, whose addresses are written to the status of the Ingresses served.',
    }),
  ),
  'publish-status-address': Type.Array(Type.String({ pattern: '^[A-Za-z0-9]([-A-Za-z0-9.:]*[A-Za-z0-9])?$' }), {
    default: [],
    placeholder: 'ADDRESS',
    description: 'IP address or host name that is written to the status of the Ingresses served.',
  }),
  'publish-nodes': Type.Optional(
    Type.String({
      minLength: 1,
      placeholder: 'LABEL=VALUE',
      description:
        'Labels of the pods in weir’s namespace that serve on the addresses of their nodes; these are written to the status of the Ingresses served.',
    }),
  ),
  'report-node-internal-ip-address': Type.Boolean({
    default: false,
    description: 'With publish-nodes, write the internal addresses of the nodes although they have external ones.',
  }),
  'leave-status': Type.Boolean({
    default: false,
    description:
      'Never write the status of Ingresses: another controller of the same class does, as while one is replaced by the other.',
  }),
  'election-id': Type.String({
    pattern: '^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$',
    default: 'weir-leader',
    placeholder: 'NAME',
    description:
      'Lease in weir’s namespace by which several weir agree on the one that writes status and Events. Another name for each that serves other classes.',
  }),
  'leave-nginx': Type.Boolean({
    default: false,
    description:
      'When weir is told to stop, leave nginx serving; the next start takes it over. Otherwise nginx finishes its requests and quits.',
  }),
});
export type Settings = Readonly<Static<typeof Settings>>;
export type SettingKey = keyof Settings;
export const SETTING_KEYS = Object.keys(Settings.properties) as readonly SettingKey[];

/** `10.96.0.10`, `10.96.0.10:5353`, `[fd00::a]`, `[fd00::a]:5353`: as node's resolver takes it. */
function isDnsServer(text: string): boolean {
  const [, four, six, port = '53'] = /^(?:([0-9.]+)|\[([0-9a-fA-F:.]+)\])(?::([0-9]{1,5}))?$/.exec(text) ?? [];
  const address = four ?? six;
  return address !== undefined && parseIpAddress(address) !== undefined && Number(port) >= 1 && Number(port) <= 65535;
}
