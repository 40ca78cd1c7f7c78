/**
 * Checks one audit log entry by entry and continues after a fault, so that a changed or unreadable
 * entry does not hide other faults. Compares three sources: the entries, each with a keyed hash
 * over the previous one; the signed anchor that retention leaves in place of removed entries; and
 * heads, which record how far the log reached (see log-heads.ts).
 */

import { isRecord } from '../../runtime/shapes.ts';
import { type ChainHead, faultIn } from './chain.ts';
import type { AuditRow } from './entry.ts';
import type { StoredHead } from './log-heads.ts';

export const AUDIT_FAULTS = {
  changed: 'the entry is not what was written',
  moved: 'the entry does not follow the one before it',
  missing: 'entries are missing from this number on',
  detail_removed: 'the details of the entry were removed, and by no erasure',
  unreadable: 'the entry cannot be read',
  cut_off: 'the log once had an entry with this number that is gone',
  head_missing: 'the stored head of the log is missing or is not what was written',
  anchor_changed: 'the mark where the log begins is not what was written',
  log_missing: 'the whole log is missing',
} as const;

export type AuditFaultKind = keyof typeof AUDIT_FAULTS;

export interface AuditFault {
  readonly seq: number;
  readonly fault: AuditFaultKind;
}

export interface Found {
  readonly seq: number;
  readonly row: AuditRow | null;
}

const LISTED_OF_A_KIND = 20;

export class ChainCheck {
  readonly #key: Buffer;
  readonly #witnesses: readonly ChainHead[];
  readonly #faults: AuditFault[] = [];
  /** MAC of the last entry; null if that entry was tampered with, so that it cannot be compared. */
  #mac: string | null;
  #seq: number;

  /** `witnesses` are heads that the log is known to have had, for example published ones. */
  constructor(key: Buffer, begin: ChainHead | null, witnesses: readonly ChainHead[]) {
    this.#key = key;
    this.#seq = begin?.seq ?? 0;
    this.#mac = begin?.mac ?? null;
    this.#witnesses = witnesses.filter(({ seq }) => seq > this.#seq);
  }

  get seq(): number {
    return this.#seq;
  }

  get faults(): readonly AuditFault[] {
    return this.#faults;
  }

  note(seq: number, fault: AuditFaultKind): void {
    if (this.#faults.filter((one) => one.fault === fault).length < LISTED_OF_A_KIND) this.#faults.push({ seq, fault });
  }

  take({ seq, row }: Found): void {
    if (seq !== this.#seq + 1) {
      this.note(this.#seq + 1, 'missing');
      this.#mac = null;
    }
    const fault = this.#faultOf(seq, row);
    if (fault !== null) this.note(seq, fault);
    const isItself = fault === null || fault === 'detail_removed' || fault === 'moved';
    // A known head has the same number but another hash, so the log was truncated and then
    // continued.
    if (isItself && this.#witnesses.some((head) => head.seq === seq && head.mac !== row?.mac)) this.note(seq, 'cut_off');
    this.#mac = isItself && row !== null ? row.mac : null;
    this.#seq = seq;
  }

  end(stored: StoredHead | null): void {
    if (!stored?.isSound) this.note(this.#seq + 1, stored === null && this.#seq === 0 ? 'log_missing' : 'head_missing');
    if (this.#witnesses.some(({ seq }) => seq > this.#seq)) this.note(this.#seq + 1, 'cut_off');
  }

  #faultOf(seq: number, row: AuditRow | null): AuditFaultKind | null {
    if (row === null || !isEntry(row)) return 'unreadable';
    try {
      return row.seq === seq ? faultIn(this.#key, this.#mac, row) : 'moved';
    } catch {
      return 'unreadable';
    }
  }
}

const isEntry = (row: unknown): boolean => isRecord(row) && ['mac', 'prev', 'commitment'].every((name) => typeof row[name] === 'string');
