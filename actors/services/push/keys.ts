import { ECDH } from 'node:crypto';

const CURVE = 'prime256v1';
const POINT_BYTES = 65;
const AUTH_BYTES = 16;
const UNCOMPRESSED = 4;

/** Whether these are an uncompressed P-256 point and 16 bytes, both in base64url (RFC 8291). */
export function areBrowserKeys(p256dh: string, auth: string): boolean {
  const point = Buffer.from(p256dh, 'base64url');
  return (
    point.length === POINT_BYTES && point[0] === UNCOMPRESSED && isOnCurve(point) && Buffer.from(auth, 'base64url').length === AUTH_BYTES
  );
}

function isOnCurve(point: Buffer): boolean {
  try {
    ECDH.convertKey(point, CURVE);
    return true;
  } catch {
    return false;
  }
}
