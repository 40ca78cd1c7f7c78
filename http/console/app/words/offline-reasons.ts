import type { Schemas } from '../../../openapi/client/gateway.generated.ts';
import { whenText } from './formats.ts';
import { wordsOf } from './words.ts';

const words = wordsOf({
  en: {
    outdated: 'The network no longer accepts this version of the gateway. Ask the operator to update it.',
    outdatedLinked: 'The device then connects automatically.',
    outdatedUnlinked: 'Then link the device again.',
    bannedFor: (until: string | null) =>
      `The network has banned this number ${until === null ? 'temporarily' : `until ${until}`}. The device reconnects automatically when the ban ends. After that, message fewer new people.`,
    banned: 'The network banned this number. Ask for a review in the app on the phone, then link the phone again.',
    loggedOut: 'This device was unlinked on the phone. Link the phone again.',
    replaced: 'Another program logged in as this device. Stop that program; the device then reconnects automatically.',
    movedElsewhere:
      'Another program is using the login that was moved here. Stop that program permanently, then move the login again or link the phone.',
    mismatch: 'The login that was moved here does not belong to the expected number. Link the phone instead.',
    refusedLinked: (code: number | null) =>
      `The network refuses the login${code === null ? '' : ` (code ${code})`}. The device tries again every hour. If this continues, tell the operator.`,
    refusedUnlinked: (code: number | null) =>
      `The network refuses to link the device${code === null ? '' : ` (code ${code})`}. Try again later. If this continues, tell the operator.`,
    unreachable: 'The gateway cannot reach the network and retries automatically. If this device uses a proxy, check it.',
    proxy: 'This device’s proxy does not work. Check its address and password under Name, proxy and presence.',
    unreadable: 'The stored login of this device cannot be read. Ask the operator to restore the key that encrypted it.',
    official: 'The official platform refuses this number. Fix the problems listed in the checks on its page, then connect again.',
    lost: (reason: string) => `The connection was lost (${reason}). The device reconnects automatically.`,
    notLinked: (reason: string) => `Linking ended (${reason}). Link the device again.`,
    since: (when: string) => `Since ${when}.`,
    short: {
      client_outdated: 'Update needed',
      banned_temporarily: 'Temporarily banned',
      banned: 'Banned',
      network_refused: 'Refused',
    },
  },
  id: {
    outdated: 'Jaringan tidak lagi menerima versi gateway ini. Minta operator memperbaruinya.',
    outdatedLinked: 'Setelah itu perangkat tersambung secara otomatis.',
    outdatedUnlinked: 'Setelah itu, tautkan ulang perangkat ini.',
    bannedFor: (until: string | null) =>
      `Jaringan memblokir nomor ini ${until === null ? 'untuk sementara' : `sampai ${until}`}. Perangkat tersambung kembali secara otomatis setelah blokir berakhir. Setelah itu, kurangi pesan kepada orang baru.`,
    banned: 'Jaringan memblokir nomor ini. Ajukan peninjauan di aplikasi pada ponsel, lalu tautkan ponsel lagi.',
    loggedOut: 'Tautan perangkat ini dilepas di ponsel. Tautkan ponsel lagi.',
    replaced: 'Program lain masuk sebagai perangkat ini. Hentikan program itu; perangkat lalu tersambung kembali secara otomatis.',
    movedElsewhere: 'Program lain memakai login yang dipindahkan. Hentikan program itu, lalu pindahkan lagi login-nya atau tautkan ponsel.',
    mismatch: 'Login yang dipindahkan ternyata bukan milik nomor yang seharusnya. Tautkan ponselnya saja.',
    refusedLinked: (code: number | null) =>
      `Jaringan menolak login${code === null ? '' : ` (kode ${code})`}. Perangkat mencoba lagi setiap jam. Jika hal ini berlanjut, beri tahu operator.`,
    refusedUnlinked: (code: number | null) =>
      `Jaringan menolak menautkan perangkat${code === null ? '' : ` (kode ${code})`}. Coba lagi nanti. Jika hal ini berlanjut, beri tahu operator.`,
    unreachable:
      'Gateway tidak dapat menjangkau jaringan dan mencoba lagi secara otomatis. Jika perangkat ini memakai proksi, periksa proksinya.',
    proxy: 'Proksi perangkat ini tidak berfungsi. Periksa alamat dan sandinya di Nama, proksi, dan kehadiran.',
    unreadable: 'Login perangkat ini yang tersimpan tidak terbaca. Minta operator memulihkan kunci enkripsinya.',
    official: 'Platform resmi menolak nomor ini. Perbaiki masalah yang tercantum dalam pemeriksaan di halamannya, lalu hubungkan lagi.',
    lost: (reason: string) => `Koneksi terputus (${reason}). Perangkat tersambung kembali secara otomatis.`,
    notLinked: (reason: string) => `Penautan berakhir (${reason}). Tautkan ulang perangkat ini.`,
    since: (when: string) => `Sejak ${when}.`,
    short: {
      client_outdated: 'Perlu diperbarui',
      banned_temporarily: 'Diblokir sementara',
      banned: 'Diblokir',
      network_refused: 'Ditolak',
    },
  },
});

type Offline = Pick<Schemas['Session'], 'status' | 'reason' | 'reason_since' | 'code' | 'until'>;

export function offlineText(session: Offline): string | null {
  const text = textOf(session);
  if (text === null) return null;
  return session.reason_since === null ? text : `${text} ${words().since(whenText(session.reason_since))}`;
}

function textOf({ status, reason, code, until }: Offline): string | null {
  const t = words();
  const isLinking = status === 'pending' || status === 'qr_ready';
  switch (reason) {
    case null:
      return null;
    case 'client_outdated':
      return `${t.outdated} ${isLinking ? t.outdatedUnlinked : t.outdatedLinked}`;
    case 'banned_temporarily':
      return t.bannedFor(until === null ? null : whenText(until));
    case 'banned':
      return t.banned;
    case 'logged_out':
      return t.loggedOut;
    case 'replaced':
      return t.replaced;
    case 'moved_elsewhere':
      return t.movedElsewhere;
    case 'number_mismatch':
      return t.mismatch;
    case 'network_refused':
      return isLinking ? t.refusedUnlinked(code) : t.refusedLinked(code);
    case 'unreachable':
      return t.unreachable;
    case 'status_502':
      return t.proxy;
    case 'token_invalid':
    case 'permission_missing':
    case 'not_registered':
    case 'account_restricted':
    case 'removed':
      return t.official;
    case 'status_423':
      return t.unreadable;
    default:
      return isLinking ? t.notLinked(reason) : t.lost(reason);
  }
}

/** Returns null for a reason that the status already shows. */
export function offlineBadge(reason: string | null): string | null {
  const { short } = words();
  switch (reason) {
    case 'client_outdated':
    case 'banned_temporarily':
    case 'banned':
    case 'network_refused':
      return short[reason];
    default:
      return null;
  }
}
