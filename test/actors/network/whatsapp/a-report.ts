import assert from 'node:assert/strict';
import { bytesOf, child, type Stanza } from '../../../network-peer/stanza.ts';

const ZAPO = new URL('../../../../node_modules/zapo-js/dist/esm/message/reporting-token.js', import.meta.url).href;

interface Reported {
  readonly stanza: Stanza;
  /** As its reader opened it. */
  readonly message: unknown;
  /** Who wrote it, and to whom: without devices, in the form of the chat. */
  readonly from: string;
  readonly to: string;
}

/** Holds the token of a message against the one that another client makes of what its reader opened. */
export async function assertReportable({ stanza, message, from, to }: Reported): Promise<void> {
  const { buildReportingTokenArtifacts } = await import(ZAPO);
  const stanzaId = stanza.attrs['id'] ?? '';
  const theirs = await buildReportingTokenArtifacts({ stanzaId, message, senderUserJid: from, remoteJid: to });
  const part = child(stanza, 'reporting');
  assert.ok(part && theirs, stanzaId);
  assert.equal(child(part, 'reporting_token')?.attrs['v'], '2');
  assert.deepEqual(bytesOf(part, 'reporting_token'), Buffer.from(theirs.reportingToken), stanzaId);
}
