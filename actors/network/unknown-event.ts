import type { FieldShape } from '../../store/devices/network-unknown.ts';

/**
 * The driver received something that it does not understand; only its name is reported. `fields`:
 * the shape of the message with this content, reported once per message.
 */
export interface UnknownEvent {
  readonly type: 'unknown';
  readonly kind: 'contents' | 'stanzas';
  readonly name: string;
  readonly fields?: readonly FieldShape[];
}
