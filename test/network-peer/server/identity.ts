import { createHmac } from 'node:crypto';
import { proto } from '@whiskeysockets/baileys';
import { type KeyPair, sign, verifies } from '../curve.ts';
import { type Exchange, seconds } from './exchange.ts';

/** Prefixes of the data that the phone and the computer sign. */
const BY_THE_PHONE = Buffer.from([6, 0]);
const BY_THE_COMPUTER = Buffer.from([6, 1]);

/** A phone's confirmation that a computer is its own. */
export interface DeviceCertificate {
  readonly device: number;
  readonly details: Buffer;
  readonly accountSignature: Buffer;
  readonly accountKey: Buffer;
  /** Whether the computer has signed the same data. */
  accepts(proof: proto.IADVSignedDeviceIdentity): boolean;
}

/** Signs a computer's certificate. `signer` is the phone's key, except in forgeries. */
export function prove(exchange: Exchange, phone: KeyPair, signer: KeyPair, computer: Buffer, device: number): DeviceCertificate {
  const facts = { rawId: exchange.random.number(31), timestamp: seconds(exchange), keyIndex: device, accountType: 0, deviceType: 0 };
  const details = Buffer.from(proto.ADVDeviceIdentity.encode(facts).finish());
  const accountSignature = sign(signer.private, Buffer.concat([BY_THE_PHONE, details, computer]));
  const theirs = Buffer.concat([BY_THE_COMPUTER, details, computer, phone.public]);
  return {
    device,
    details,
    accountSignature,
    accountKey: phone.public,
    accepts: (proof) =>
      details.equals(proof.details ?? Buffer.alloc(0)) && verifies(computer, theirs, proof.deviceSignature ?? Buffer.alloc(0)),
  };
}

/** Encodes the certificate for the computer, authenticated with the secret from its QR code. */
export function sealedProof({ details, accountKey, accountSignature }: DeviceCertificate, secret: Buffer): Buffer {
  const signed = proto.ADVSignedDeviceIdentity.encode({ details, accountSignatureKey: accountKey, accountSignature }).finish();
  const hmac = createHmac('sha256', secret).update(signed).digest();
  return Buffer.from(proto.ADVSignedDeviceIdentityHMAC.encode({ details: signed, hmac }).finish());
}

/** Whether the phone with `accountKey` vouches for the sending device. Each recipient makes this check. */
export function isVouchedFor(identity: Buffer, accountKey: Buffer, proof: Uint8Array): boolean {
  const { details, accountSignature } = proto.ADVSignedDeviceIdentity.decode(proof);
  const signed = Buffer.concat([BY_THE_PHONE, details ?? Buffer.alloc(0), identity]);
  return verifies(accountKey, signed, accountSignature ?? Buffer.alloc(0));
}
