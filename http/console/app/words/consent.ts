import { wordsOf } from './words.ts';

export const consentWords = wordsOf({
  en: {
    consent: 'Consent',
    of: { opted_in: 'Opted in', opted_out: 'Opted out' },
    sources: {
      keyword: 'by keyword',
      dashboard: 'by the team',
      import: 'by an import',
      api: 'by API',
      network: 'in the messaging app',
      privacy_erasure: 'by a data erasure',
    },
    optOut: 'Opt out',
    optOutAbout: 'They will no longer get campaigns. You can still answer them, unless your settings block it.',
  },
  id: {
    consent: 'Persetujuan',
    of: { opted_in: 'Setuju', opted_out: 'Berhenti' },
    sources: {
      keyword: 'lewat kata kunci',
      dashboard: 'oleh tim',
      import: 'lewat impor',
      api: 'lewat API',
      network: 'di aplikasi pesan',
      privacy_erasure: 'lewat penghapusan data',
    },
    optOut: 'Hentikan langganan',
    optOutAbout: 'Mereka tidak menerima kampanye lagi. Anda tetap bisa membalas, kecuali setelan Anda memblokirnya.',
  },
});
