import { el, type Stanza, THE_SERVER } from '../stanza.ts';

/** Why the server ends a connection; the numbers are those that clients hear. 500 is an end without a reason. */
export type EndCode = 401 | 403 | 411 | 440 | 500 | 503 | 515;

/** The server's last word. */
export function lastWord(code: EndCode): Stanza {
  switch (code) {
    case 401:
      return el('stream:error', { code }, [el('conflict', { type: 'device_removed' })]);
    case 411:
      return el('ib', { from: THE_SERVER }, [el('downgrade_webclient', {})]);
    case 440:
      return el('stream:error', {}, [el('conflict', { type: 'replaced' })]);
    case 500:
      return el('stream:error', {});
    default:
      return el('stream:error', { code });
  }
}
