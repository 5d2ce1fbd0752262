import Type, { type Static } from 'typebox';
import { parseCidr, parseIpAddress } from '../lib/ip-address.ts';

const NAMESPACED_NAME = '^[a-z0-9]([-a-z0-9]*[a-z0-9])?/[a-z0-9]([-.a-z0-9]*[a-z0-9])?$';
const port = (fallback: number, description: string) =>
  Type.Integer({ minimum: 1, maximum: 65535, default: fallback, placeholder: 'PORT', description });

/**
 * Everything `weir run` may be told, in the order of the reference page. One name everywhere: `--http-port`,
 * `WEIR_HTTP_PORT`, and `http-port:` in weir.yaml. A list is a repeated flag, a comma-separated variable, a YAML list.
 */
export const Settings = Type.Object({
  manifests: Type.Array(Type.String({ minLength: 1 }), {
    default: [],
    placeholder: 'DIR',
    description: 'Folder (or file) of Kubernetes manifests to serve, watched for changes.',
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
