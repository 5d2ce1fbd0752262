import { finding } from '../../diagnostics/catalogue.ts';
import type { Finding } from '../../diagnostics/finding.ts';
import { SOURCE_FINDINGS } from '../../diagnostics/sources.ts';
import type { FileContent } from './read-file.ts';
import { fileOrigin } from './read-objects.ts';

/** Why a file as a whole gives nothing. */
export function fileFinding(file: string, content: Exclude<FileContent, { readonly type: 'text' }>): Finding {
  const origin = fileOrigin({ file, line: 1 });
  switch (content.type) {
    case 'too-large': {
      const size = `${(content.bytes / 1024 / 1024).toFixed(0)} MiB`;
      return finding(SOURCE_FINDINGS.fileTooLarge, origin, `The file is ${size}; the limit is 64 MiB.`);
    }
    case 'unreadable':
      return finding(SOURCE_FINDINGS.fileUnreadable, origin, `The file cannot be read: ${content.reason}.`);
    case 'gone':
      return finding(SOURCE_FINDINGS.fileUnreadable, origin, 'The file cannot be read: it does not exist any more.');
    case 'unsettled':
      return finding(SOURCE_FINDINGS.fileUnreadable, origin, 'The file cannot be read: it is being written to.');
  }
}
