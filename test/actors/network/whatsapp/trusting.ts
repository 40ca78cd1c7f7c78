import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import type { Peer } from '../../../network-peer/peer.ts';
import type { Scope } from '../../../support/stores.ts';

/** The peer's host for files is trusted like any other, while this lasts. */
export function trustFilesOf({ media }: Peer, scope: Scope): void {
  const known = getCACertificates('default');
  setDefaultCACertificates([...known, media.certificate]);
  scope.after(() => setDefaultCACertificates(known));
}
