import { wordsOf } from '../../words/words.ts';
import type { Entry } from './thread.ts';

const texts = wordsOf({
  en: {
    waits: 'It is stored and waiting for its turn on the device.',
    waitsOffline: 'It is stored and waiting because the device is not connected.',
    withNetwork:
      'The network has received it. This person’s phone has not confirmed it yet: it may be off or offline, or the person may have blocked this number.',
    arrived: 'It arrived on the phone. It has not been read yet, or this person has turned read receipts off.',
    read: 'It arrived and was read.',
    cancelled: 'It was cancelled before it was sent.',
    deleted: 'It was deleted.',
    because: (error: string) => `It was not sent: ${error}.`,
    failed: 'It was not sent, and the network did not say why.',
    errors: {
      opted_out: 'the person has opted out, and your settings block messages to them',
      quota_exceeded: 'your plan’s quota was used up',
      not_on_network: 'the number is not on the network',
      unknown_outcome: 'the connection dropped several times while it was being sent, so it is not known whether it arrived',
      expired: 'it expired before it could be sent',
      restricted: 'the network does not allow this device to message new people right now',
    },
    steps: { accepted: 'Accepted', wire: 'Handed to the network', delivered: 'Delivered', read: 'Read', failed: 'Failed' },
  },
  id: {
    waits: 'Pesan tersimpan dan menunggu giliran di perangkat.',
    waitsOffline: 'Pesan tersimpan dan menunggu: perangkat tidak terhubung.',
    withNetwork:
      'Jaringan sudah menerimanya. Ponsel orang itu belum mengonfirmasi: mungkin mati atau tanpa koneksi, atau orang itu memblokir nomor ini.',
    arrived: 'Pesan sudah sampai di ponsel. Pesan belum dibaca, atau orang itu mematikan laporan dibaca.',
    read: 'Pesan sudah sampai dan dibaca.',
    cancelled: 'Pesan dibatalkan sebelum dikirim.',
    deleted: 'Pesan sudah dihapus.',
    because: (error: string) => `Pesan tidak terkirim: ${error}.`,
    failed: 'Pesan tidak terkirim, dan jaringan tidak menyebutkan alasannya.',
    errors: {
      opted_out: 'orang itu sudah berhenti berlangganan, dan setelan Anda memblokir pesan kepadanya',
      quota_exceeded: 'kuota paket Anda sudah habis',
      not_on_network: 'nomor itu tidak ada di jaringan',
      unknown_outcome: 'koneksi putus beberapa kali saat mengirim, sehingga tidak diketahui apakah pesan sampai',
      expired: 'pesan kedaluwarsa sebelum sempat dikirim',
      restricted: 'jaringan sedang tidak mengizinkan perangkat ini mengirim pesan kepada orang baru',
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
