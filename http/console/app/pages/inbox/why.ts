import { wordsOf } from '../../words/words.ts';
import type { Entry } from './thread.ts';

const texts = wordsOf({
  en: {
    waits: 'It is stored and waits for its turn on the device.',
    waitsOffline: 'It is stored and waits: the device is not connected.',
    withNetwork:
      'The network has it. The phone of the person has not confirmed it yet: it may be off, without a connection, or have blocked this number.',
    arrived: 'It arrived on the phone, and has not been read, or the person does not show that they read.',
    read: 'It arrived and was read.',
    cancelled: 'It was cancelled before it was sent.',
    deleted: 'It was deleted.',
    because: (error: string) => `It was not sent: ${error}.`,
    failed: 'It was not sent, and the network did not say why.',
    errors: {
      opted_out: 'the person has opted out, and your settings refuse messages to them',
      quota_exceeded: 'the quota of your plan was used up',
      not_on_network: 'the number is not on the network',
      unknown_outcome: 'the connection broke several times while it was being sent, so it is not known whether it arrived',
      expired: 'it could not be sent before its time limit',
      restricted: 'the network does not let this device write to new people now',
    },
    steps: { accepted: 'Accepted', wire: 'Handed to the network', delivered: 'Delivered', read: 'Read', failed: 'Failed' },
  },
  id: {
    waits: 'Pesan tersimpan dan menunggu giliran di perangkat.',
    waitsOffline: 'Pesan tersimpan dan menunggu: perangkat tidak terhubung.',
    withNetwork: 'Jaringan sudah menerimanya. Ponsel orang itu belum mengonfirmasi: mungkin mati, tanpa koneksi, atau memblokir nomor ini.',
    arrived: 'Pesan sudah sampai di ponsel dan belum dibaca, atau orang itu tidak menampilkan tanda baca.',
    read: 'Pesan sudah sampai dan dibaca.',
    cancelled: 'Pesan dibatalkan sebelum berangkat.',
    deleted: 'Pesan sudah dihapus.',
    because: (error: string) => `Pesan tidak terkirim: ${error}.`,
    failed: 'Pesan tidak terkirim, dan jaringan tidak menyebutkan alasannya.',
    errors: {
      opted_out: 'orang itu sudah berhenti berlangganan, dan pengaturan Anda menolak pesan kepadanya',
      quota_exceeded: 'kuota paket Anda sudah habis',
      not_on_network: 'nomor itu tidak ada di jaringan',
      unknown_outcome: 'koneksi putus beberapa kali saat mengirim, sehingga tidak diketahui apakah pesan sampai',
      expired: 'pesan tidak sempat berangkat sebelum batas waktunya',
      restricted: 'jaringan sedang tidak mengizinkan perangkat ini menulis kepada orang baru',
    },
    steps: { accepted: 'Diterima', wire: 'Diserahkan ke jaringan', delivered: 'Sampai', read: 'Dibaca', failed: 'Gagal' },
  },
});

export function whyOf({ status, error }: Pick<Entry, 'status' | 'error'>, isConnected: boolean): string {
  const t = texts();
  switch (status) {
    case 'queued':
      return isConnected ? t.waits : t.waitsOffline;
    case 'sent':
      return t.withNetwork;
    case 'delivered':
      return t.arrived;
    case 'read':
      return t.read;
    case 'cancelled':
      return t.cancelled;
    case 'deleted':
      return t.deleted;
    case 'failed':
      return error ? t.because(Object.entries(t.errors).find(([code]) => code === error)?.[1] ?? error) : t.failed;
  }
}

export interface Step {
  readonly name: string;
  readonly at: number;
}

export function lifeOf({ created_at, sent_at, delivered_at, read_at }: Entry): readonly Step[] {
  const { steps } = texts();
  const moments: readonly [string, number | null | undefined][] = [
    [steps.accepted, created_at],
    [steps.wire, sent_at],
    [steps.delivered, delivered_at],
    [steps.read, read_at],
  ];
  return moments.flatMap(([name, at]) => (typeof at === 'number' ? [{ name, at }] : []));
}
