import { createHmac, timingSafeEqual } from 'node:crypto';
import { refusal } from '../refusals.ts';

/** An upload that its bearer may make, once, without other credentials. */
export interface UploadGrant {
  readonly tenantId: string;
  /** Under which the file will be stored. */
  readonly key: string;
  readonly filename: string;
  /** At most so many bytes. */
  readonly size: number;
  /** Epoch ms. */
  readonly expiresAt: number;
}

/** Grants as text for an address: readable, and signed by the gateway, so that nothing of them is stored. */
export interface UploadLinks {
  sign(grant: UploadGrant): string;
  /** Refuses FORBIDDEN unless it was signed here and has not expired. */
  read(token: string, now: number): UploadGrant;
}

export const UPLOAD_LINK_MS = 15 * 60_000;

/** `secret` may serve other purposes: what is signed names this one. */
export function createUploadLinks(secret: string): UploadLinks {
  const signatureOf = (text: string): Buffer => createHmac('sha256', secret).update(`media upload ${text}`).digest();
  return {
    sign(grant) {
      const text = Buffer.from(JSON.stringify(grant)).toString('base64url');
      return `${text}.${signatureOf(text).toString('base64url')}`;
    },

    read(token, now) {
      const [text = '', signature = ''] = token.split('.');
      const given = Buffer.from(signature, 'base64url');
      const ours = signatureOf(text);
      if (given.length !== ours.length || !timingSafeEqual(given, ours)) throw refusal('FORBIDDEN');
      const grant = JSON.parse(Buffer.from(text, 'base64url').toString()) as UploadGrant;
      if (grant.expiresAt <= now) throw refusal('FORBIDDEN');
      return grant;
    },
  };
}
