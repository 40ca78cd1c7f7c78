import type { FieldShape } from '../../store/devices/network-unknown.ts';

/**
 * Reports data that the driver does not understand, by name only. `fields`: the message's shape,
 * reported once.
 */
export interface UnknownEvent {
  readonly type: 'unknown';
  readonly kind: 'contents' | 'stanzas';
  readonly name: string;
  readonly fields?: readonly FieldShape[];
}
