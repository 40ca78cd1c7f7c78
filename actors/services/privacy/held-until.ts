import type { HoldRow } from '../../../store/privacy/holds.ts';
import { LATEST_MS } from '../../domain/zones.ts';

export function heldUntil({ until }: Pick<HoldRow, 'until'>): { readonly en: string; readonly id: string } {
  // Earlier versions accepted any number, so the time may be too large for a date.
  const day = new Date(Math.min(until, LATEST_MS)).toISOString();
  return { en: `the data is on hold until ${day}`, id: `data ditahan sampai ${day}` };
}
