export interface FileWarning {
  readonly code: 'VOICE_NOT_CONVERTED' | 'THUMBNAIL_UNAVAILABLE' | 'SENT_AS_FILE' | 'PREVIEW_UNAVAILABLE';
  readonly en: string;
  readonly id: string;
}

export const VOICE_NOT_CONVERTED: FileWarning = {
  code: 'VOICE_NOT_CONVERTED',
  en: 'the file could not be converted to a voice note, so it is sent as an audio file',
  id: 'berkas ini tidak dapat dikonversi menjadi pesan suara, sehingga dikirim sebagai berkas audio',
};

export const THUMBNAIL_UNAVAILABLE: FileWarning = {
  code: 'THUMBNAIL_UNAVAILABLE',
  en: 'no thumbnail could be created, so the file is sent without one',
  id: 'gambar mini tidak dapat dibuat, sehingga berkas dikirim tanpanya',
};

export const GIF_STANDS_STILL: FileWarning = {
  code: 'SENT_AS_FILE',
  en: 'the GIF is sent as a still picture: converting it to a looping video needs ffmpeg, which is not installed',
  id: 'GIF dikirim sebagai gambar diam: konversi menjadi video berulang memerlukan ffmpeg, yang belum terpasang',
};

export const PREVIEW_UNAVAILABLE: FileWarning = {
  code: 'PREVIEW_UNAVAILABLE',
  en: 'the link preview could not be loaded, so the text is sent without one',
  id: 'pratinjau tautan tidak dapat dimuat, sehingga teks dikirim tanpanya',
};
