import type { NodeName } from './port.ts';

/** How every holder of this start of a node begins (see `Coordination`). */
export const ownerName = ({ id, boot }: NodeName): string => `${id}/${boot}/`;

export function nameOf(holder: string): NodeName {
  const [id = '', boot = ''] = holder.split('/');
  return { id, boot };
}

/** When this taking began, in epoch ms by the clock of its node; NaN where the holder does not say. */
export const takenAt = (holder: string): number => Number(holder.slice(holder.lastIndexOf('.') + 1) || Number.NaN);
