import type { FieldShape } from '../../store/devices/network-unknown.ts';

/** Something came that the driver does not understand, by its name alone. `fields`: the shape of the message that has this content, once a message. */
export interface UnknownEvent {
  readonly type: 'unknown';
  readonly kind: 'contents' | 'stanzas';
  readonly name: string;
  readonly fields?: readonly FieldShape[];
}
