/** Settings of attachments and conversations; a module that needs them lists them with its own. */
import { defineSettings, integer, MiB, oneOf, setting } from '../../kernel/setting.ts';

const SCANNER = /^(?:clamd:\/\/[\w.-]+:\d{1,5}|unix:\/\/\/[\w./-]+)$/;

export const attachmentSettings = defineSettings({
  MAX_ATTACHMENT_BYTES: integer('Largest document or attachment', 1_024, 64 * MiB, 10 * MiB),
  SCANNER_URL: setting({
    doc: 'The virus scanner (clamd) that scans documents and attachments; absent: they are shown as not scanned',
    allowed: 'clamd://host:port or unix:///path of a socket',
    parse: (value) => (SCANNER.test(value) ? value : undefined),
  }),
  SCANNER_REQUIRED: oneOf(
    'Which uploads are refused (503) without a scanner: `identity` only documents of identity; `automatic` is `identity` in production, else `none`',
    ['automatic', 'none', 'identity', 'all'],
    'automatic',
  ),
});

/** How long conversations are kept; one module lists it. */
export const conversationSettings = defineSettings({
  CONVERSATION_RETENTION_DAYS: integer(
    'Days that texts of conversations and feedback are kept after their end',
    1,
    36_500,
    730,
  ),
});
