import type { NodeName } from './port.ts';

/** How every holder of this start of a node begins (see `Coordination`). */
export const ownerName = ({ id, boot }: NodeName): string => `${id}/${boot}/`;

export const ownerOf = (holder: string): string => holder.slice(0, holder.lastIndexOf('/') + 1);

export function nameOf(holder: string): NodeName {
  const [id = '', boot = ''] = holder.split('/');
  return { id, boot };
}
