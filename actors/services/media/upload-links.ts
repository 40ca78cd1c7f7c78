import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Tenants } from '../../../store/accounts/tenants.ts';
import type { FileOwner } from '../../../store/media/media.ts';
import type { OpenUploadLinks } from '../../../store/media/upload-links.ts';
import type { Deletions } from '../../../store/privacy/deletions.ts';
import { refusal } from '../../domain/refusals.ts';

export interface UploadGrant {
  readonly tenantId: string;
  readonly key: string;
  readonly filename: string;
  readonly owner: FileOwner;
  readonly size: number;
  readonly expiresAt: number;
}

/** Signs upload tokens, which are valid until the file is deleted or the tenant is suspended. */
export interface UploadLinks {
  open(grant: UploadGrant): Promise<string>;
  read(token: string, now: number): Promise<UploadGrant>;
}

export interface UploadLinkDeps {
  readonly secret: string;
  readonly links: Pick<OpenUploadLinks, 'add' | 'has'>;
  readonly tenants: Pick<Tenants, 'activeOf'>;
  readonly deletions: Pick<Deletions, 'find'>;
}

export const UPLOAD_LINK_MS = 15 * 60_000;

export function createUploadLinks({ secret, links, tenants, deletions }: UploadLinkDeps): UploadLinks {
  const signatureOf = (text: string): Buffer => createHmac('sha256', secret).update(`media upload ${text}`).digest();
  return {
    async open(grant) {
      const { tenantId, key, expiresAt } = grant;
      await links.add({ _id: key, tenant_id: tenantId, expires_at: expiresAt });
      const text = Buffer.from(JSON.stringify(grant)).toString('base64url');
      return `${text}.${signatureOf(text).toString('base64url')}`;
    },

    async read(token, now) {
      const [text = '', signature = ''] = token.split('.');
      // Compared as text, so that a signature cannot be written in more than one way.
      const given = Buffer.from(signature);
      const ours = Buffer.from(signatureOf(text).toString('base64url'));
      if (given.length !== ours.length || !timingSafeEqual(given, ours)) throw refusal('FORBIDDEN');
      const grant: UploadGrant = JSON.parse(Buffer.from(text, 'base64url').toString());
      if (grant.expiresAt <= now) throw refusal('FORBIDDEN');
      const { tenantId, key } = grant;
      const [isOpen, active, deletion] = await Promise.all([
        links.has(tenantId, key),
        tenants.activeOf([tenantId]),
        deletions.find(tenantId),
      ]);
      if (!isOpen || active.length === 0 || deletion?.open) throw refusal('FORBIDDEN');
      return grant;
    },
  };
}
