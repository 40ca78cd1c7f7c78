import { proto } from '@whiskeysockets/baileys';
import { type KeyPair, makeKeyPair, sign } from '../curve.ts';
import type { SeededRandom } from '../random.ts';

/** A certificate authority (root, intermediate, leaf) in the network's own format. */
export interface Authority {
  /** Root key that clients must trust. */
  readonly rootKey: Buffer;
  /** Server key, certified by the chain. */
  readonly server: KeyPair;
  readonly chain: Buffer;
}

const VALID_SECONDS = 10 * 365 * 86_400;

/** `now`: epoch ms. */
export function makeAuthority(random: SeededRandom, now: number): Authority {
  const [root, intermediate, server] = [makeKeyPair(random), makeKeyPair(random), makeKeyPair(random)];
  const from = Math.floor(now / 1000) - 60;
  const valid = { notBefore: from, notAfter: from + VALID_SECONDS };
  const chain = proto.CertChain.encode({
    intermediate: certificate(root, { serial: 1, issuerSerial: 0, key: intermediate.public, ...valid }),
    leaf: certificate(intermediate, { serial: 2, issuerSerial: 1, key: server.public, ...valid }),
  });
  return { rootKey: root.public, server, chain: Buffer.from(chain.finish()) };
}

function certificate(issuer: KeyPair, facts: proto.CertChain.NoiseCertificate.IDetails): proto.CertChain.INoiseCertificate {
  const details = proto.CertChain.NoiseCertificate.Details.encode(facts).finish();
  return { details, signature: sign(issuer.private, details) };
}
