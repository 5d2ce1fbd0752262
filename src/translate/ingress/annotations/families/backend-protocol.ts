import { ANNOTATION_FINDINGS } from '../../../../diagnostics/annotations.ts';
import type { AnnotationFamily } from '../annotation-family.ts';
import type { AnnotationKey } from '../annotation-key.ts';
import { choice } from '../values/choice.ts';

const PROTOCOLS = ['HTTP', 'HTTPS', 'GRPC', 'GRPCS', 'AUTO_HTTP', 'FCGI'] as const;
type Protocol = (typeof PROTOCOLS)[number];

const BACKEND_PROTOCOL: AnnotationKey<Protocol> = {
  name: 'backend-protocol',
  summary:
    'How the endpoints are spoken to. HTTPS and GRPCS verify the endpoint’s certificate only where `proxy-ssl-verify` says so.',
  kind: choice(PROTOCOLS, { ignoreCase: true }),
  default: 'HTTP',
  example: 'GRPC',
  differs:
    'AUTO_HTTP (the scheme of the client) is served as HTTP with a warning. FCGI is not supported yet: the routes answer 503. ' +
    'AJP, which old versions had, is invalid.',
};

export const BACKEND_PROTOCOL_FAMILY: AnnotationFamily = {
  title: 'Protocol of the backend',
  keys: [BACKEND_PROTOCOL],
  onCanary: false,
  apply(read, settings) {
    const protocol = read.value(BACKEND_PROTOCOL);
    switch (protocol) {
      case 'HTTPS':
        settings.backendProtocol = 'https';
        break;
      case 'GRPC':
        settings.backendProtocol = 'grpc';
        break;
      case 'GRPCS':
        settings.backendProtocol = 'grpcs';
        break;
      case 'AUTO_HTTP':
        read.report(
          BACKEND_PROTOCOL.name,
          ANNOTATION_FINDINGS.partlySupported,
          'AUTO_HTTP is not supported yet: the endpoints are spoken to by HTTP, whatever the client speaks.',
          'Write "HTTP" or "HTTPS".',
        );
        break;
      case 'FCGI':
        read.report(
          BACKEND_PROTOCOL.name,
          ANNOTATION_FINDINGS.valueNotServable,
          'FastCGI is not supported yet: the routes answer 503.',
          'Put a web server that speaks HTTP before the FastCGI program, and write "HTTP".',
        );
        read.close(BACKEND_PROTOCOL.name);
        break;
    }
  },
};
