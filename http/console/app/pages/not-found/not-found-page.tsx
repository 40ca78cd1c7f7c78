import type { JSX } from 'preact';
import { BASE } from '../../../pages.ts';
import { Page } from '../../ui/page.tsx';
import { wordsOf } from '../../words/words.ts';

const words = wordsOf({
  en: {
    notFound: 'Page not found',
    notFoundAbout: 'This address does not exist.',
    notAllowed: 'Not for agents',
    notAllowedAbout: 'Only the owner of the account can open this page.',
    broken: 'This page could not be loaded',
    brokenAbout: 'The gateway may have been updated, or the connection is down.',
    home: 'Go to Home',
    reload: 'Reload',
  },
  id: {
    notFound: 'Halaman tidak ditemukan',
    notFoundAbout: 'Tidak ada apa pun di alamat ini.',
    notAllowed: 'Bukan untuk agen',
    notAllowedAbout: 'Hanya pemilik akun yang dapat membuka halaman ini.',
    broken: 'Halaman ini tidak dapat dimuat',
    brokenAbout: 'Gateway mungkin baru diperbarui, atau koneksi terputus.',
    home: 'Ke halaman awal',
    reload: 'Muat ulang',
  },
});

export function NotFoundPage(): JSX.Element {
  const t = words();
  return (
    <Page title={t.notFound} about={t.notFoundAbout}>
      <p data-testid="not-found">
        <a href={`${BASE}/`}>{t.home}</a>
      </p>
    </Page>
  );
}

export function NotAllowedPage(): JSX.Element {
  const t = words();
  return (
    <Page title={t.notAllowed}>
      <p data-testid="not-allowed">{t.notAllowedAbout}</p>
    </Page>
  );
}

export function BrokenPage({ onRetry }: { readonly onRetry: () => void }): JSX.Element {
  const t = words();
  return (
    <Page title={t.broken}>
      <div class="notice bad" role="alert">
        <p>{t.brokenAbout}</p>
        <button type="button" class="button slim" data-testid="retry" onClick={onRetry}>
          {t.reload}
        </button>
      </div>
    </Page>
  );
}
