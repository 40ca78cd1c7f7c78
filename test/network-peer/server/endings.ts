import { el, type Stanza, THE_SERVER } from '../stanza.ts';

/** Codes with which the server ends a connection, as clients see them. 500 is an end without a reason. */
export type EndCode = 401 | 403 | 411 | 440 | 500 | 503 | 515;

/** Returns the final stanza of the server before it closes a connection. */
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
