import type { NodeName } from './port.ts';

export const ownerName = ({ id, boot }: NodeName): string => `${id}/${boot}/`;

export function nameOf(holder: string): NodeName {
  const [id = '', boot = ''] = holder.split('/');
  return { id, boot };
}

/** Returns the time of the acquisition, or NaN if the holder does not contain a time. */
export const takenAt = (holder: string): number => Number(holder.slice(holder.lastIndexOf('.') + 1) || Number.NaN);
