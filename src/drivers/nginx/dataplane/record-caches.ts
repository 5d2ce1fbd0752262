import { forgetAllAuthorities, forgetAuthority } from './authority-cache';
import { forgetAllBackends, forgetBackend } from './backend-cache';
import { forgetAllCertificates, forgetCertificate } from './certificate-cache';
import { forgetAllHosts, forgetHost } from './host-cache';
import { forgetAllListeners, forgetListener } from './listener-cache';
import { forgetAllServerNames, forgetServerName } from './server-name-cache';

/** Drops what a worker made of one record, by the record's key. */
export function forgetRecord(key: string): void {
  const kind = string.sub(key, 1, 2);
  const rest = string.sub(key, 3);
  if (kind === 'h:') {
    forgetHost(rest);
  } else if (kind === 'b:') {
    forgetBackend(rest);
  } else if (kind === 's:') {
    forgetServerName(rest);
  } else if (kind === 'c:') {
    forgetCertificate(rest);
  } else if (kind === 'a:') {
    forgetAuthority(rest);
  } else if (kind === 'l:') {
    forgetListener(rest);
  }
}

export function forgetAllRecords(): void {
  forgetAllHosts();
  forgetAllBackends();
  forgetAllServerNames();
  forgetAllCertificates();
  forgetAllAuthorities();
  forgetAllListeners();
}
