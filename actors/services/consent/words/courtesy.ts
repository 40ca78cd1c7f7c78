/** Polite words. Not accepted around keywords in `bare`, because "cancel please" may concern an order. */
export interface Courtesy {
  readonly before: string;
  readonly after: string;
  readonly bare: string;
}

export const INTERNATIONAL = 'stop|stop all|stopall|unsubscribe|unsub|opt out|optout|unreg';

export const COURTESY: Readonly<Record<string, Courtesy>> = {
  en: {
    before: 'please|pls|plz|kindly|hi|hello|hey|sorry|sir|madam|guys|team|dear team|just',
    after: 'please|pls|plz|now|thanks|thank you|thx|ty|many thanks|sir|madam|maam|guys|team|mate|bro|dear',
    bare: 'cancel|end|quit|remove|revoke|td|take me off',
  },
  id: {
    before:
      'tolong|mohon|minta tolong|tlg|tolong ya|plis|please|pls|maaf|mohon maaf|halo|hallo|hai|hi|permisi|selamat pagi|selamat siang|' +
      'selamat sore|selamat malam|kak|kakak|kk|min|mimin|admin|gan|agan|bang|bg|abang|mas|mbak|mba|bu|ibu|pak|bapak|sis|bro|om|bos|boss|sudah|udah',
    after:
      'kak|kakak|ka|kk|min|mimin|admin|gan|agan|bang|bg|abang|mas|mbak|mba|bu|ibu|pak|bapak|sis|bro|om|tante|bos|boss|ya|yah|yaa|yak|' +
      'dong|donk|lah|please|pls|plis|tolong|mohon|makasih|mksh|makasi|terima kasih|terimakasih|trims|tks|thx|thanks|sekarang|segera',
    bare: 'batal|hapus saya',
  },
  ms: {
    before: 'tolong|sila|minta|maaf|harap|kak|bang|abang|bos|boss|cik|encik|tuan|puan',
    after: 'la|lah|ya|tau|please|pls|kak|bang|abang|bos|boss|cik|encik|tuan|puan|terima kasih|tq|tqvm|thanks',
    bare: '',
  },
  jv: { before: 'tulung|nyuwun tulung', after: 'yo|nggih|mas|mbak|pak|bu|lek|nuwun|matur nuwun', bare: '' },
  su: { before: 'punten|hapunten', after: 'nya|kang|teh|a|pak|bu|nuhun|hatur nuhun', bare: '' },
  tl: {
    before: 'please|pls|paki|pakiusap|sorry|hello|hi',
    after: 'na|na po|po|please|pls|boss|sir|maam|ate|kuya|salamat|salamat po|thanks',
    bare: 'hinto',
  },
  vi: {
    before: 'làm ơn|xin|vui lòng|xin vui lòng|ad ơi|shop ơi|bạn ơi|ơi',
    after: 'nhé|nha|ạ|giùm|dùm|giúp|đi|đi ạ|cảm ơn|xin cảm ơn|shop ơi|shop|ad|bạn',
    bare: 'hủy|huỷ|từ chối|dừng lại|dừng',
  },
  th: { before: 'กรุณา|ช่วย|โปรด|รบกวน', after: 'ครับ|ค่ะ|คะ|นะครับ|นะคะ|ขอบคุณ|ขอบคุณครับ|ขอบคุณค่ะ|แอดมิน', bare: 'ยกเลิก' },
  hi: {
    before: 'कृपया|प्लीज|please|plz|pls|भाई|सर|bhai|sir|madam|kripya|kripaya',
    after: 'कृपया|प्लीज|please|plz|pls|जी|भाई|सर|धन्यवाद|ji|bhai|sir|madam|yaar|thanks|dhanyavad|shukriya',
    bare: 'बंद|रुको|रुकें|रुकिए|ruko|roko|रोको|रद्द करें|बंद करो|बंद करें|band karo|band karen|band kijiye|मत भेजो|mat bhejo',
  },
  ur: {
    before: 'براہ کرم|پلیز|جناب|please',
    after: 'پلیز|جناب|بھائی|شکریہ|please|ji|bhai',
    bare: 'بند|رکو|رکیں|بند کریں|منسوخ کریں|band karein',
  },
  bn: { before: 'দয়া করে|প্লিজ|ভাই|please', after: 'প্লিজ|ভাই|আপু|ধন্যবাদ|please|bhai|vai', bare: 'বন্ধ|থামো|থামুন|থামান|থামাও|বাতিল|বাতিল করুন|বন্ধ করুন' },
  ar: {
    before: 'من فضلك|من فضلكم|لو سمحت|لو سمحتم|رجاء|الرجاء|أرجوكم|مرحبا|السلام عليكم',
    after: 'من فضلك|من فضلكم|لو سمحت|لو سمحتم|رجاء|شكرا|شكرا لكم|أخي|الآن',
    bare: 'إلغاء|الغاء|خروج|إزالة|ازالة|وقف|قف|انسحاب',
  },
  fa: { before: 'لطفا|خواهشا|سلام', after: 'لطفا|خواهشا|ممنون|متشکرم|مرسی', bare: 'لغو|انصراف|ایست' },
  he: { before: 'בבקשה|נא|אנא|שלום', after: 'בבקשה|תודה|תודה רבה', bare: 'ביטול|בטל|לבטל|עצור|עצרו|תעצור|תעצרו' },
  tr: {
    before: 'lütfen|merhaba|selam|rica ederim',
    after: 'lütfen|artık|teşekkürler|teşekkür ederim|sağ olun',
    bare: 'dur|durun|iptal|iptal et|iptal edin|ret|çıkış',
  },
  ru: {
    before: 'пожалуйста|пожалуйста вас|прошу|прошу вас|здравствуйте|добрый день',
    after: 'пожалуйста|прошу|спасибо|благодарю|уже',
    bare: 'стой|стойте|остановитесь|отмена|отменить|отказ|отказаться|остановить|остановите',
  },
  uk: {
    before: 'будь ласка|прошу|вітаю|добрий день',
    after: 'будь ласка|прошу|дякую|вже',
    bare: 'стій|стійте|зупинись|відміна|відмінити|скасувати|відмова|зупинити|зупиніть',
  },
  pl: {
    before: 'proszę|dzień dobry|bardzo proszę',
    after: 'proszę|dziękuję|dzięki|już',
    bare: 'anuluj|anulować|zatrzymaj|zatrzymać|usuń|rezygnuję|rezygnacja',
  },
  de: {
    before: 'bitte|hallo|guten tag|guten morgen|guten abend|jetzt',
    after: 'bitte|danke|danke schön|vielen dank|sofort|jetzt|endlich|mfg|lg',
    bare: 'kündigen|kündigung|kuendigen|kuendigung|abbrechen|beenden|löschen|loeschen|widerruf|abmeldung|abbestellen|abbestellung|anhalten',
  },
  nl: {
    before: 'graag|aub|a u b|alsjeblieft|alstublieft|hallo|beste|hoi',
    after: 'graag|aub|a u b|svp|alsjeblieft|alstublieft|bedankt|dank u|dank u wel|dank je|dankjewel|nu',
    bare: 'annuleren|annuleer|verwijderen|opzeggen|beëindigen',
  },
  fr: {
    before: 's’il vous plaît|s’il te plaît|svp|stp|bonjour|bonsoir|merci|veuillez|prière',
    after: 's’il vous plaît|s’il te plaît|svp|stp|merci|merci beaucoup|merci bien|maintenant|bonne journée|cordialement',
    bare: 'annuler|supprimer|résilier|résiliation|arrêt|arrêter',
  },
  es: {
    before: 'por favor|porfavor|porfa|favor|hola|buenas|buenos días|buenas tardes|buen día|ya',
    after: 'por favor|porfavor|porfa|favor|gracias|muchas gracias|ya|ahora|amigo|amiga|señor|señores',
    bare: 'cancelar|cancela|anular|eliminar|borrar|salir|baja|detener|parar|detente|para ya',
  },
  pt: {
    before: 'por favor|porfavor|favor|por gentileza|olá|oi|bom dia|boa tarde|boa noite|pfv',
    after: 'por favor|porfavor|favor|pfv|pf|por gentileza|obrigado|obrigada|obg|grato|grata|agora|já|ok obrigado',
    bare: 'cancelar|cancele|cancela|anular|remover|remova|sair|fim|interromper|parar',
  },
  it: {
    before: 'per favore|perfavore|per piacere|per cortesia|ciao|salve|buongiorno|vi prego|ti prego',
    after: 'per favore|perfavore|per piacere|per cortesia|grazie|grazie mille|subito|adesso|ora',
    bare: 'cancella|annulla|annullare|rimuovi|disdetta|disdici|revoca|interrompere|interrompi|interrompete|fermare',
  },
  ro: {
    before: 'vă rog|te rog|va rog|bună ziua|rog',
    after: 'vă rog|te rog|va rog|mulțumesc|multumesc|acum',
    bare: 'anulare|anulează|anulați|oprire|renunț',
  },
  sv: { before: 'snälla|vänligen|hej', after: 'snälla|tack|nu|tack så mycket', bare: 'stanna|avbryt|avsluta|säg upp' },
  sw: { before: 'tafadhali|samahani|habari', after: 'tafadhali|asante|asanteni|sana', bare: 'futa|ondoa|ghairi|simama' },
};
