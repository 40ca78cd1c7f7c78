import type { EventBody } from '../../events/types.ts';

/** The facts around an event that the form of another gateway shows. */
export interface Around {
  readonly device: { readonly id: string; readonly name: string; readonly phone: string | null };
  readonly url: string;
  /** The public address of this gateway; empty when it is not configured. */
  readonly address: string;
}

/** An event in the form of another gateway; null when it has no such event. */
export type Form = (event: EventBody, around: Around) => object | null;
