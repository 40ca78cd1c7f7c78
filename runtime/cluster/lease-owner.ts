import type { NodeName } from './port.ts';

/** Prefix of every holder name of this boot of a node (see `Coordination`). */
export const ownerName = ({ id, boot }: NodeName): string => `${id}/${boot}/`;

export function nameOf(holder: string): NodeName {
  const [id = '', boot = ''] = holder.split('/');
  return { id, boot };
}

/** When this acquisition began, in epoch ms; NaN when the holder contains no time. */
export const takenAt = (holder: string): number => Number(holder.slice(holder.lastIndexOf('.') + 1) || Number.NaN);
