/**
 * Keywords by language, separated by `|`. A keyword must be the whole message. Everyday answers are
 * left out: `acha` means OK in Hindi, `pare` mate in Tagalog.
 */
export const OPT_OUT: Readonly<Record<string, string>> = {
  en:
    'stop|stop all|stopall|stop it|stop now|stop please|please stop|just stop|stop messages|stop messaging|stop messaging me|' +
    'stop sending|stop sending messages|stop sending me messages|stop texting|stop texting me|stop contacting me|stop promo|stop promos|' +
    'stop promotions|stop ads|stop spam|stop spamming|stop spamming me|unsubscribe|unsubscribe me|unsubscribe please|please unsubscribe|' +
    'please unsubscribe me|unsub|cancel|cancel subscription|cancel my subscription|end|quit|revoke|opt out|optout|opt me out|' +
    'please opt me out|remove|remove me|please remove me|remove my number|delete my number|remove me from your list|' +
    'remove me from this list|remove me from the list|take me off|take me off your list|take me off this list|do not contact me|' +
    'dont contact me|do not message me|dont message me|do not text me|dont text me|no more messages|no more texts|no more promos|' +
    'no more ads|leave me alone|td|stop all messages|stop pls|pls stop|stop thanks|stop thank you|please stop messaging me|' +
    'please stop texting me|please stop sending messages|please stop sending me messages|do not contact me again|dont contact me again|' +
    'do not message me again|dont message me again|do not text me again|dont text me again|please do not contact me|' +
    'stop all promotions|stop promotional messages|stop sending me promotions|stop sending promotions|stop sending promos|stop sending ads|' +
    'stop sending me ads|stop sending me texts|stop sending me stuff|no more promotions|no more marketing|no more spam|no more messages from you|no promotions|' +
    'no marketing messages|dont send me messages|do not send me messages|dont send me any more messages|do not send me any more messages|' +
    'dont send me anything|do not send me anything|dont send me promotions|do not send me promotions|i dont want these messages|' +
    'i dont want any more messages|i do not want any more messages|i dont want to receive messages|i dont want to receive these messages|' +
    'i no longer want to receive messages|i no longer wish to receive messages|unsubscribe me from this list|unsubscribe from all|' +
    'unsubscribe all|please remove my number|please remove me from your list|please take me off your list|i want to unsubscribe|i want to opt out|🛑|' +
    'stop sending me this|stop sending me these|stop sending me these messages|stop sending these messages',
  id:
    'berhenti|berhenti langganan|berhenti berlangganan|saya mau berhenti|saya ingin berhenti|stop dong|stop ya|tolong stop|' +
    'stop langganan|stop pesan|stop promo|stop iklan|stop kirim|stop kirim pesan|stop kirim promo|stop wa|stop chat|hentikan|' +
    'hentikan pesan|hentikan pesan ini|hentikan promo|hentikan langganan|tolong hentikan|mohon hentikan|mohon berhenti|tolong berhenti|' +
    'batal|batal langganan|batal berlangganan|batalkan langganan|batalkan berlangganan|unreg|unreg promo|unreg all|' +
    'keluar langganan|jangan kirim lagi|jangan kirim pesan|jangan kirim pesan lagi|jangan kirim promo lagi|jangan hubungi saya|' +
    'jangan hubungi saya lagi|jangan wa saya lagi|jangan chat saya lagi|hapus nomor saya|hapus saya|hapus saya dari daftar|' +
    'berhenti kirim|berhenti kirim pesan|berhenti kirim promo|berhenti kirim wa|berhenti mengirim pesan|berhenti hubungi saya|berhenti promo|' +
    'stop kirim wa|stop kirim iklan|stop kirim pesan lagi|stop kirim promo lagi|stop kirimi saya pesan|stop kirimin promo|stop broadcast|stop bc|stop spam|stop sms|' +
    'stop hubungi saya|stop wa saya|stop chat saya|stop promosi|stop semua|stop semua pesan|hentikan kirim pesan|hentikan kirim promo|hentikan promosi|hentikan iklan|' +
    'jangan kirim promo|jangan kirim promosi|jangan kirim promosi lagi|jangan kirim iklan|jangan kirim iklan lagi|jangan kirim wa lagi|jangan kirim broadcast|' +
    'jangan kirim broadcast lagi|jangan kirim spam|jangan kirim apa apa lagi|jangan kirim kirim lagi|jangan kirim penawaran lagi|jangan kirimi saya promo|' +
    'jangan kirimi saya promo lagi|jangan kirimin promo|jangan kirimin promo lagi|jangan kirimin saya pesan lagi|jangan kirimin pesan lagi|' +
    'jangan hubungi lagi|jangan hubungi aku lagi|jangan wa lagi|jangan chat lagi|jangan sms lagi|jangan spam|jangan spam lagi|jangan promo lagi|' +
    'jangan broadcast lagi|jangan ganggu saya|jangan ganggu saya lagi|gak mau promo lagi|ga mau promo lagi|nggak mau promo lagi|gak mau terima promo lagi|' +
    'ga usah kirim promo lagi|ga usah kirim pesan lagi|ga usah kirim promo|ga usah promo lagi|gak usah kirim promo lagi|gak usah kirim pesan lagi|' +
    'gak usah kirim promo|gak usah promo lagi|nggak usah kirim promo lagi|nggak usah kirim pesan lagi|nggak usah kirim promo|nggak usah promo lagi|' +
    'tidak usah kirim promo lagi|tidak usah kirim pesan lagi|tidak usah kirim promo|tidak usah promo lagi|gausah kirim promo lagi|gausah kirim promo|' +
    'gausah promo lagi|' +
    'ga mau terima promo lagi|gak mau terima pesan lagi|ga mau terima pesan lagi|tidak mau terima promo|tidak mau terima promo lagi|tidak mau menerima pesan lagi|' +
    'tidak mau menerima promo lagi|tidak ingin menerima pesan lagi|saya tidak mau terima pesan lagi|saya tidak mau menerima pesan lagi|' +
    'saya tidak mau terima promo lagi|saya tidak mau menerima promo lagi|saya tidak ingin menerima pesan lagi|saya mau berhenti langganan|' +
    'saya mau berhenti berlangganan|saya ingin berhenti berlangganan|mau berhenti langganan|keluarkan saya dari daftar|keluarkan nomor saya|hapus nomor saya dari daftar|' +
    'tidak mau terima pesan lagi|tolong hapus nomor saya|mohon hapus nomor saya|jangan kirim pesan ke saya|' +
    'jangan kirim pesan ke saya lagi|jangan kirimi saya pesan lagi|tolong jangan kirim lagi|tolong jangan kirim pesan lagi|' +
    'tolong jangan hubungi saya lagi',
  ms:
    'berhenti melanggan|henti|henti langganan|hentikan mesej|hentikan langganan|batal langgan|batal langganan|batalkan langganan|' +
    'nyahlanggan|tolong hentikan|jangan hantar lagi|jangan hantar mesej|jangan hantar mesej lagi|keluarkan saya|padam nombor saya|' +
    'berhenti hantar|berhenti hantar mesej|stop la|stop lah',
  jv: 'mandheg|mandeg|aja kirim maneh|ojo kirim maneh',
  su: 'eureun|lirén|tong ngirim deui',
  tl:
    'tigil|itigil|itigil na|tumigil|tumigil na|hinto|ihinto|huminto|tama na po stop|mag unsubscribe|huwag na mag text|' +
    'huwag na magpadala|wag na mag text|wag na magtext|tanggalin ako|alisin ako|alisin ang number ko|ayaw ko na ng messages|stop na|' +
    'stop po|stop na po|paki stop|pakistop|wag na kayo mag text|wag na kayong mag text|huwag na kayong mag text|huwag nang magpadala|' +
    'wag nang magpadala',
  vi:
    'dừng|dừng lại|ngừng|ngừng lại|ngừng gửi|ngừng gửi tin|ngừng gửi tin nhắn|dừng gửi tin nhắn|hủy|huỷ|hủy đăng ký|huỷ đăng ký|' +
    'hủy đăng kí|bỏ đăng ký|từ chối|từ chối nhận tin|đừng gửi nữa|đừng nhắn nữa|đừng nhắn tin nữa|đừng gửi tin nhắn nữa|không nhận tin|' +
    'xóa tôi|xóa số của tôi|thôi nhắn tin|không nhận tin nhắn|không nhận quảng cáo|đừng gửi tin|đừng gửi tin nữa',
  th:
    'หยุด|หยุดครับ|หยุดค่ะ|หยุดส่ง|หยุดส่งข้อความ|หยุดรับข้อความ|ยกเลิก|ยกเลิกครับ|ยกเลิกค่ะ|ยกเลิกการสมัคร|ยกเลิกการรับข่าวสาร|' +
    'ยกเลิกข้อความ|ยกเลิกรับข้อความ|ยกเลิกการรับข้อความ|เลิกติดตาม|ไม่รับข้อความ|ไม่ต้องการรับข้อความ|อย่าส่งมาอีก|ไม่ต้องส่งมาอีก|' +
    'ไม่ต้องส่งมาแล้ว|เลิกส่ง|ลบเบอร์ฉัน|สต็อป|สตอป|เลิกส่งข้อความ|ไม่รับข่าวสาร|ไม่ต้องการรับข่าวสาร',
  lo: 'ຢຸດ|ຢຸດສົ່ງ|ຢຸດສົ່ງຂໍ້ຄວາມ|ຍົກເລີກ|ຍົກເລີກການສະໝັກ|ຍົກເລີກການສະຫມັກ|ຍົກເລີກການຮັບຂໍ້ຄວາມ|ບໍ່ຮັບຂໍ້ຄວາມ|ຢ່າສົ່ງອີກ',
  km: 'ឈប់|ឈប់ផ្ញើ|ឈប់ផ្ញើសារ|បញ្ឈប់|បោះបង់|លុបចោល|បោះបង់ការជាវ|ឈប់ជាវ|កុំផ្ញើទៀត|កុំផ្ញើសារទៀត',
  my: 'ရပ်|ရပ်ပါ|ရပ်တန့်|ရပ်တန့်ပါ|မပို့ပါနဲ့|မပို့ပါနဲ့တော့|မပို့နဲ့တော့|ပယ်ဖျက်|ပယ်ဖျက်ပါ|စာရင်းမှပယ်ဖျက်ပါ|ဆက်မပို့ပါနဲ့',
  zh:
    '停|停止|停止发送|停止發送|停止订阅|停止訂閱|请停止|請停止|退订|退訂|取消|取消订阅|取消訂閱|取消关注|取消關注|退出|退出订阅|拒收|拒绝接收|拒絕接收|不再接收|别再发了|別再發了|不要再发了|不要再發了|不要再发送|不要再傳了|别发了|別傳了|' +
    '请勿打扰|請勿打擾|不要打扰|屏蔽|移除我|把我移除|td|tuiding|停止推送|不要再给我发了|别再给我发了|不要再发信息|不要再發訊息',
  ja:
    '停止|ストップ|配信停止|配信停止希望|配信停止してください|配信を停止|配信を停止してください|配信解除|購読解除|購読停止|登録解除|解除|解約|退会|中止|受信拒否|' +
    'やめて|やめてください|止めて|止めてください|送らないで|送らないでください|もう送らないで|もう送らないでください|キャンセル|オプトアウト|すとっぷ',
  ko:
    '중지|중단|정지|그만|그만해|그만하세요|그만 보내|그만 보내세요|그만보내세요|멈춰|멈춰주세요|스톱|스탑|수신거부|수신 거부|수신거부합니다|수신중지|구독취소|구독 취소|구독해지|구독 해지|해지|취소|탈퇴|거부|문자 그만|보내지 마세요|' +
    '보내지마세요|보내지 마|연락하지 마세요|차단|옵트아웃|스팸 그만|광고 그만|메시지 그만|메세지 그만|문자 보내지 마세요|저에게 문자 보내지 마세요|저한테 문자 보내지 마세요|더 이상 보내지 마세요|더 이상 문자 보내지 마세요',
  hi:
    'रुको|रुकें|रुकिए|ruko|रोको|रोकें|रोकिए|बंद करो|बंद करें|बंद कीजिए|बन्द करो|बन्द करें|बंद|स्टॉप|सदस्यता रद्द करें|सदस्यता समाप्त करें|' +
    'अनसब्सक्राइब|अनसब्सक्राइब करें|मैसेज मत भेजो|मैसेज मत भेजें|संदेश मत भेजो|संदेश मत भेजें|संदेश बंद करें|मैसेज बंद करो|मुझे हटाओ|' +
    'मुझे हटाएं|रद्द करें|मत भेजो|band karo|band karen|band kijiye|message mat bhejo|msg mat bhejo|mat bhejo|roko|' +
    'message band karo|msg band karo|stop karo|मैसेज न भेजें|मुझे मैसेज मत भेजो|मुझे मैसेज मत भेजें|मुझे मैसेज मत करो|मुझे मैसेज न करें',
  bn:
    'বন্ধ|বন্ধ করুন|বন্ধ করো|বন্ধ কর|থামুন|থামো|থামান|থামাও|স্টপ|বাতিল|বাতিল করুন|সদস্যতা বাতিল|সাবস্ক্রিপশন বাতিল|সাবস্ক্রিপশন বাতিল করুন|আনসাবস্ক্রাইব|' +
    'মেসেজ পাঠাবেন না|আর মেসেজ পাঠাবেন না|আর পাঠাবেন না|মেসেজ বন্ধ করুন|bondho korun|bondho koro',
  ta: 'நிறுத்து|நிறுத்தவும்|நிறுத்துங்கள்|ஸ்டாப்|குழுவிலகு|குழுவிலகவும்|சந்தாவை ரத்து செய்|ரத்து|ரத்து செய்|அனுப்ப வேண்டாம்|இனி அனுப்ப வேண்டாம்|செய்தி அனுப்ப வேண்டாம்|niruthu',
  te: 'ఆపు|ఆపండి|ఆపివేయి|ఆపివేయండి|నిలిపివేయండి|నిలిపివేయి|స్టాప్|చందా రద్దు|చందా రద్దు చేయండి|రద్దు|రద్దు చేయండి|సందేశాలు పంపవద్దు|పంపవద్దు|apandi|aapandi',
  mr: 'थांबा|थांब|thamba|थांबवा|बंद करा|संदेश थांबवा|संदेश बंद करा|सदस्यता रद्द करा|रद्द करा|मेसेज पाठवू नका|संदेश पाठवू नका|पुन्हा पाठवू नका|band kara',
  gu: 'બંધ કરો|બંધ|રોકો|અટકો|અટકાવો|સ્ટોપ|રદ કરો|સબસ્ક્રિપ્શન રદ કરો|અનસબ્સ્ક્રાઇબ|મેસેજ ન મોકલો|મેસેજ મોકલશો નહીં|સંદેશા મોકલશો નહીં|bandh karo',
  kn: 'ನಿಲ್ಲಿಸಿ|ನಿಲ್ಲಿಸು|ನಿಲ್ಲಿಸಿರಿ|ಸ್ಟಾಪ್|ರದ್ದು|ರದ್ದುಮಾಡಿ|ರದ್ದು ಮಾಡಿ|ಚಂದಾ ರದ್ದುಮಾಡಿ|ಸಂದೇಶ ಕಳುಹಿಸಬೇಡಿ|ಕಳುಹಿಸಬೇಡಿ|ಅನ್‌ಸಬ್‌ಸ್ಕ್ರೈಬ್|nillisi',
  ml: 'നിർത്തുക|നിർത്തൂ|നിര്‍ത്തുക|നിർത്ത്|സ്റ്റോപ്പ്|റദ്ദാക്കുക|റദ്ദാക്കൂ|അൺസബ്സ്ക്രൈബ്|വരിക്കാരനല്ലാതാക്കുക|സന്ദേശം അയക്കരുത്|ഇനി അയക്കരുത്|അയക്കരുത്|nirthuka|nirthu',
  pa: 'ਰੁਕੋ|ਰੋਕੋ|ਬੰਦ ਕਰੋ|ਬੰਦ|ਸਟਾਪ|ਰੱਦ ਕਰੋ|ਗਾਹਕੀ ਰੱਦ ਕਰੋ|ਅਨਸਬਸਕ੍ਰਾਈਬ|ਮੈਸੇਜ ਨਾ ਭੇਜੋ|ਸੁਨੇਹੇ ਨਾ ਭੇਜੋ|band karo ji',
  ur:
    'رکو|رکیں|روکو|روکیں|روک دیں|بند کرو|بند کریں|بند کر دیں|بند|سٹاپ|اسٹاپ|منسوخ کریں|رکنیت ختم کریں|ان سبسکرائب|پیغام نہ بھیجیں|' +
    'میسج مت بھیجو|میسج نہ بھیجیں|مزید پیغام نہ بھیجیں|band karein',
  ne: 'रोक्नुहोस्|रोक|बन्द गर्नुहोस्|बन्द गर|बन्द गर्नुस्|सदस्यता रद्द गर्नुहोस्|रद्द गर्नुहोस्|सन्देश नपठाउनुहोस्|नपठाउनुहोस्|म्यासेज नपठाउनुहोस्|banda garnus|roknus',
  si: 'නවතන්න|නවත්වන්න|නතර කරන්න|නවත්තන්න|එවන්න එපා|පණිවිඩ එවන්න එපා|අවලංගු කරන්න|දායකත්වය අවලංගු කරන්න|ස්ටොප්|nawathanna',
  ar:
    'توقف|توقفوا|قف|أوقف|أوقفوا|ايقاف|إيقاف|وقف|ستوب|إلغاء|الغاء|إلغاء الاشتراك|الغاء الاشتراك|الغ الاشتراك|ألغ الاشتراك|إلغاء اشتراكي|' +
    'إيقاف الرسائل|وقف الرسائل|أوقفوا الرسائل|أوقف الرسائل|لا ترسل|لا ترسلوا|لا ترسل لي|لا ترسل لي رسائل|لا ترسلوا لي رسائل|' +
    'لا ترسل مرة أخرى|كفى رسائل|احذفني|احذف رقمي|احذفوا رقمي|إزالة|ازالة|انسحاب|خروج|لا تراسلني|لا تراسلوني|توقفوا عن إرسال الرسائل|توقف عن إرسال الرسائل|توقف عن الإرسال|توقفوا عن الإرسال|' +
    'أوقفوا إرسال الرسائل|لا أريد رسائل',
  fa:
    'توقف ارسال|متوقف کن|متوقف کنید|لغو|لغو اشتراک|لغو عضویت|انصراف|استاپ|نفرست|نفرستید|دیگر نفرستید|دیگه نفرست|پیام نفرست|پیام نفرستید|' +
    'پیام ندهید|دیگر پیام ندهید|ارسال نکنید|ایست|قطع پیام|حذف شماره|شماره مرا حذف کنید|خروج از لیست|laghv|laghve ozviat',
  ps: 'ودروه|ودرېږه|بند کړه|بند یې کړه|پیغام مه لېږه|مه لېږه',
  ku: 'rawestîne|bisekine|raweste|ڕایبگرە|وەستان|بیوەستێنە|نامە مەنێرە',
  he:
    'עצור|עצרו|תעצור|תעצרו|די להודעות|הפסק|הפסיקו|תפסיק|תפסיקו|להפסיק|סטופ|הסר|הסרה|הסירו|הסירו אותי|הסר אותי|להסרה|להסיר|תסירו אותי|' +
    'תורידו אותי|ביטול|בטל|ביטול מנוי|בטל מנוי|לבטל|אל תשלחו|אל תשלחו לי|אל תשלחו לי הודעות|תפסיקו לשלוח|הסרה מרשימת תפוצה|' +
    'תפסיקו לשלוח לי הודעות|תפסיק לשלוח לי הודעות|תפסיקו לשלוח הודעות|נא להסיר|נא להסיר אותי',
  tr:
    'dur|durun|durdur|durdurun|iptal|iptal et|iptal edin|iptal etmek istiyorum|üyelik iptali|üyeliği iptal et|abonelikten çık|' +
    'abonelikten çıkmak istiyorum|aboneliği iptal et|abonelik iptal|abonelik iptali|listeden çık|listeden çıkar|beni listeden çıkarın|' +
    'mesaj istemiyorum|mesaj atmayın|mesaj atma|mesaj göndermeyin|mesaj gönderme|bir daha mesaj atmayın|çıkış|beni çıkarın|smsiptal|ret',
  az: 'dayandır|dayandırın|ləğv et|ləğv edin|abunəlikdən çıx|abunəliyi ləğv et|abunəliyi dayandır|mesaj göndərmə|mesaj göndərməyin|mesaj istəmirəm|siyahıdan çıxarın',
  kk: 'тоқта|тоқтат|тоқтатыңыз|тоқтатыңыздар|доғар|доғарыңыз|жазылымды тоқтату|жазылымнан бас тарту|бас тарту|хабарлама жібермеңіз|жібермеңіз|болдырмау|toqtat',
  ky: 'токто|токтот|токтотуңуз|баш тартуу|жазылууну токтотуу|билдирүү жөнөтпөңүз|жөнөтпөңүз',
  uz: "to'xtat|to'xtating|toxtat|toxtating|to'xtatish|bekor qilish|bekor qiling|obunani bekor qilish|obunani bekor qiling|yubormang|xabar yubormang|тўхтат|тўхтатинг|бекор қилиш",
  tg: 'бас кунед|қатъ кунед|бекор кунед|обунаро бекор кунед|паём нафиристед|нафиристед',
  mn: 'зогсоо|зогс|зогсооно уу|цуцлах|цуцал|бүртгэлээс хасах|захиалга цуцлах|мессеж битгий явуул|битгий явуул|хасах',
  ru:
    'стой|стойте|стоп|остановить|остановите|остановитесь|прекратить|прекратите|прекрати|хватит писать|хватит спамить|хватит слать|' +
    'отписаться|отпишись|отписка|отпишите|отпишите меня|отписать|отмена|отменить|отмена подписки|отменить подписку|отмените подписку|' +
    'отказ|отказаться|отказ от рассылки|отказаться от рассылки|не пишите|не пишите мне|не пишите больше|больше не пишите|' +
    'больше не пишите мне|не присылайте|больше не присылайте|не беспокоить|не беспокойте|удалите меня|удалите мой номер|уберите меня|' +
    'уберите меня из рассылки|прекратите рассылку|стоп рассылка|stop рассылка|otpiska|otpisatsya|не пишите мне больше|' +
    'не надо мне писать|не надо больше писать|прекратите писать|перестаньте писать|хватит мне писать|не присылайте мне',
  uk:
    'стій|стійте|зупинити|зупиніть|зупинись|припинити|припиніть|припини|відписатися|відписатись|відпишіть|відпишіть мене|відписка|відміна|' +
    'відмінити|скасувати|скасувати підписку|скасуйте підписку|відмова|відмовитися|не пишіть|не пишіть мені|більше не пишіть|не надсилайте|' +
    'більше не надсилайте|не турбувати|не турбуйте|видаліть мене|видаліть мій номер|досить писати',
  be: 'спыніць|спыніце|спыні|адпісацца|адпішыце|адпішыце мяне|адмена|адмяніць|адмяніць падпіску|не пішыце|больш не пішыце|не дасылайце',
  bg:
    'спри|спрете|стига спам|отписване|отпиши|отпиши ме|отпишете ме|откажи|отказ|отказвам|отказвам се|отмени|отмяна|прекрати|прекратете|' +
    'спри съобщенията|спрете съобщенията|не ми пишете|не пишете повече|не изпращайте|не изпращайте повече|премахнете ме|изтрийте номера ми|otkaz|spri',
  mk: 'стоп|престани|престанете|запри|запрете|одјави|одјави ме|одјавете ме|откажи|откажи претплата|отпиши ме|не пишувајте|не праќајте|не праќајте повеќе|избриши ме',
  sr:
    'стани|престани|престаните|прекини|прекините|заустави|зауставите|одјава|одјави|одјави ме|одјавите ме|откажи|откажи претплату|не шаљите|' +
    'не шаљите више|не шаљите поруке|не пишите више|избришите ме|stani|prestani|prestanite|prekini|prekinite|zaustavi|zaustavite|odjava|odjavi|' +
    'odjavi me|odjavite me|otkaži|otkaži pretplatu|ne šaljite|ne šaljite više|ne šaljite poruke|obrišite me|izbrišite me',
  hr: 'odjava s liste|odjavite me s liste|prekid|prekid pretplate|otkaži|otkažite|otkažite pretplatu|ne šaljite mi|ne šaljite mi poruke|ne šaljite mi više|ne pišite mi|uklonite me|maknite me s liste',
  sl: 'ustavi|ustavite|nehaj|nehajte|prenehaj|prenehajte|odjavi|odjava|odjavite me|odjavi me|prekliči|preklic|prekličite|prekliči naročnino|ne pošiljajte|ne pošiljajte več|ne pišite več|izbrišite me',
  sq: 'ndalo|ndaloni|ndal|mjaft mesazhe|anulo|anuloni|çregjistrohu|çregjistrim|çabonohu|anulo abonimin|mos dërgoni|mos dërgo|mos dërgoni më|mos më shkruani|më hiqni|hiqmë',
  el:
    'σταμάτα|σταματήστε|σταμάτησε|στοπ|διακοπή|διακόψτε|διαγραφή|διαγράψτε με|διέγραψέ με|απεγγραφή|ακύρωση|ακυρώστε|ακύρωση συνδρομής|' +
    'μη στέλνετε|μην στέλνετε|μη μου στέλνετε|μην μου στέλνετε|μην ξαναστείλετε|όχι άλλα μηνύματα|εξαίρεση|βγάλτε με|τέλος μηνυμάτων|stamata|diagrafi',
  ro:
    'opriți|opriti|oprește|opreste|oprire|oprește mesajele|opriți mesajele|dezabonare|dezabonează|dezabonați|dezabonați-mă|' +
    'dezaboneaza-ma|mă dezabonez|anulare|anulează|anulați|anulare abonament|renunț|nu mai trimiteți|nu mai trimite|' +
    'nu mai trimiteți mesaje|nu îmi mai scrieți|nu mă contactați|ștergeți-mă|ștergeți numărul meu|scoateți-mă|scoateți-mă din listă|' +
    'dezabonează-mă|vreau să mă dezabonez',
  hu:
    'állj|állítsd le|állítsa le|leállítás|leiratkozás|leiratkozom|leiratkozni|iratkozz le|töröljön|töröljenek|törölj|törlés|leállít|' +
    'lemondás|lemondom|lemondani|elég az üzenetekből|ne küldjön többet|ne küldjenek többet|ne küldj többet|ne írjon többet|ne írj többet|' +
    'ne írjanak|ne zavarjon|kérem törölje a számom|nem kérek több üzenetet|leiratkozas|torles',
  cs:
    'zastavit|zastavte|zastav|přestaňte|přestaň|přestaňte psát|přestaňte posílat|odhlásit|odhlaste|odhlaste mě|odhlásit se|odhlášení|' +
    'odhlásit odběr|zrušit|zrušit odběr|zrušte odběr|ukončit|ukončete|konec zpráv|neposílejte|neposílejte zprávy|už neposílejte|již neposílejte|' +
    'nepište|nepište mi|už mi nepište|vymažte mě|vymažte mé číslo|smažte mě|nechci zprávy',
  sk:
    'zastaviť|zastavte|zastav|prestaňte|prestaň|prestaňte písať|prestaňte posielať|odhlásiť|odhláste|odhláste ma|odhlásiť sa|odhlásenie|' +
    'zrušiť|zrušiť odber|zrušte odber|ukončiť|ukončite|neposielajte|neposielajte správy|už neposielajte|nepíšte|nepíšte mi|už mi nepíšte|' +
    'vymažte ma|vymažte moje číslo|nechcem správy',
  pl:
    'zatrzymaj|zatrzymać|przestań|przestańcie|przestańcie pisać|proszę przestać|koniec wiadomości|wypisz|wypisz mnie|wypiszcie mnie|' +
    'wypisać|wypisuję się|rezygnuję|rezygnacja|rezygnuję z subskrypcji|anuluj|anulować|anuluj subskrypcję|nie wysyłaj|nie wysyłajcie|' +
    'nie wysyłajcie więcej|nie wysyłać|nie pisz|nie pisz do mnie|nie piszcie|nie piszcie więcej|usuń|usuń mnie|usuńcie mnie|' +
    'usuńcie mój numer|nie chcę wiadomości|proszę nie pisać|proszę więcej nie pisać|proszę nie wysyłać|proszę mnie wypisać|' +
    'proszę mnie usunąć',
  de:
    'stopp|stoppen|stopp bitte|bitte stoppen|bitte stop|aufhören|hör auf|hören sie auf|bitte aufhören|abmelden|bitte abmelden|abmeldung|' +
    'mich abmelden|melden sie mich ab|abbestellen|abbestellung|newsletter abbestellen|kündigen|kündigung|abbrechen|beenden|austragen|' +
    'bitte austragen|tragen sie mich aus|keine nachrichten|keine nachrichten mehr|keine werbung|keine werbung mehr|nicht mehr schreiben|' +
    'schreiben sie mir nicht mehr|nicht mehr kontaktieren|bitte nicht mehr kontaktieren|löschen|bitte löschen|löschen sie meine nummer|' +
    'widerruf|aufhoeren|hoer auf|bitte aufhoeren|kuendigen|kuendigung|loeschen|bitte loeschen|loeschen sie meine nummer|stop bitte|' +
    'bitte keine werbung|bitte keine werbung mehr|bitte keine nachrichten mehr|keine weiteren nachrichten',
  nl:
    'stoppen|stop ermee|hou op|houd op|hou op met sturen|afmelden|meld me af|meld mij af|afmelding|uitschrijven|schrijf me uit|' +
    'schrijf mij uit|ik wil me uitschrijven|uitschrijving|opzeggen|annuleren|annuleer|beëindigen|verwijderen|verwijder mij|verwijder me|' +
    'verwijder mijn nummer|geen berichten|geen berichten meer|niet meer sturen|stuur geen berichten meer|niet meer berichten|' +
    'geen reclame|geen reclame meer|stop aub|stop a u b|stop alstublieft|stop alsjeblieft|geen reclame aub',
  af: 'hou op|staak|staak asseblief|stop asseblief|teken uit|teken my uit|kanselleer|verwyder my|moenie meer stuur nie|moenie boodskappe stuur nie|geen boodskappe meer nie',
  fr:
    'arrêt|arrêter|arrêtez|arrête|arrêtez svp|arrêtez de m’écrire|arrêtez d’envoyer|arrêtez les messages|arrêter les messages|stop svp|' +
    'stop pub|stop sms|stop aux messages|désabonner|désabonnez-moi|désabonne-moi|désabonnement|me désabonner|se désabonner|' +
    'je me désabonne|désinscrire|désinscription|me désinscrire|se désinscrire|je me désinscris|désinscrivez-moi|désinscris-moi|annuler|' +
    'annuler l’abonnement|résilier|résiliation|supprimer|supprimez-moi|supprimez mon numéro|retirez-moi|retirez-moi de la liste|' +
    'enlevez-moi|ne plus recevoir|plus de messages|ne m’écrivez plus|ne me contactez plus|n’envoyez plus rien|stop merci|' +
    'stop s’il vous plaît|plus de pub|ne plus recevoir de messages|je ne veux plus recevoir de messages|je ne veux plus de messages|' +
    'arrêtez de m’envoyer des messages',
  es:
    'parar|para ya|paren|paren de escribir|basta de mensajes|detener|detengan|deténganse|detente|dejen de escribir|' +
    'dejen de enviar|dejen de escribirme|dejen de molestar|no molestar|no molesten|baja|darse de baja|darme de baja|dar de baja|' +
    'deme de baja|dame de baja|denme de baja|quiero darme de baja|me doy de baja|cancelar|cancelar suscripción|cancelar la suscripción|' +
    'cancela|desuscribir|desuscribirme|desuscribirse|desinscribir|anular|anular suscripción|eliminar|elimíname|elimínenme|' +
    'eliminen mi número|borrar|bórrame|bórrenme|quítame|quítenme|quítenme de la lista|no más mensajes|no mas mensajes|' +
    'no quiero más mensajes|no quiero recibir mensajes|no envíen más|no me escriban|no me escriban más|no me contacten|no enviar más|' +
    'salir|stop por favor|dejen de enviarme mensajes|dejen de mandarme mensajes|no me manden más mensajes|' +
    'no quiero recibir más mensajes|por favor no me escriban más|' +
    'no me escribas más|no me escriba más|dejen de mandar mensajes|deje de mandarme mensajes|' +
    'deja de mandarme mensajes|dejen de enviar mensajes|deje de enviarme mensajes|' +
    'deja de enviarme mensajes|deja de escribirme',
  pt:
    'parar|pare já|parem|parem de enviar|pare de enviar|pare de mandar mensagens|parem de mandar mensagens|sair|sair da lista|' +
    'cancelar|cancele|cancela|cancelar inscrição|cancelar assinatura|cancelar subscrição|quero cancelar|descadastrar|descadastre|' +
    'descadastrar-me|me descadastre|desinscrever|desinscrever-me|anular|anular subscrição|remover|remova|remova-me|me remova|' +
    'remover meu número|remova meu número|me tire da lista|tire-me da lista|não enviar|não envie mais|não enviem mais|' +
    'não me mande mais mensagens|não mande mais|não quero mais mensagens|não quero receber mensagens|não me contacte|chega de mensagens|' +
    'interromper|fim|pare de me enviar mensagens|parem de me enviar mensagens|pare de me mandar mensagens|não quero mais receber|' +
    'não quero mais receber mensagens|me remova da lista|remova-me da lista|me retire da lista|stop por favor|' +
    'pare de enviar mensagens|parem de enviar mensagens|parem de me mandar mensagens|não me escreva mais|' +
    'não me escrevam mais',
  gl: 'deter|darme de baixa|cancelar a subscrición|non enviar máis|non me escribades|non máis mensaxes|elimínenme',
  ca: 'atura|atureu|parar|prou missatges|donar-se de baixa|donar-me de baixa|doneu-me de baixa|cancel·lar|cancel·la|cancel·lar la subscripció|no envieu més|no m’escriviu|no més missatges|elimineu-me|esborreu-me',
  eu: 'gelditu|utzi|baja eman|harpidetza utzi|ezeztatu|ez bidali gehiago|ez idatzi gehiago|kendu nazazue',
  it:
    'fermati|fermatevi|fermare|basta messaggi|smettila|smettetela|smettete|smettete di scrivere|interrompere|interrompi|' +
    'interrompete|disiscrivimi|disiscrivetemi|disiscriviti|disiscrizione|disiscrivermi|cancellami|cancellatemi|cancellami dalla lista|' +
    'cancella|cancella iscrizione|annulla|annullare|annulla iscrizione|rimuovi|rimuovimi|rimuovetemi|rimuovete il mio numero|togliermi|' +
    'toglietemi|toglietemi dalla lista|non scrivetemi|non scrivetemi più|non scrivermi più|non inviare|non inviate più|' +
    'non inviate più messaggi|niente messaggi|revoca|disdetta|disdici|stop grazie|basta pubblicità|non voglio messaggi|' +
    'non voglio più messaggi|non voglio ricevere messaggi|non voglio più ricevere messaggi|non mandate più messaggi',
  sv:
    'stoppa|stanna|sluta|sluta skicka|sluta skriva|sluta messa|snälla sluta|avsluta|avregistrera|avregistrera mig|avanmäl|avanmäl mig|avanmälan|' +
    'avprenumerera|säg upp|avbryt|ta bort mig|ta bort mitt nummer|inga fler meddelanden|inga meddelanden|inga fler sms|skicka inte mer|' +
    'skriv inte mer|kontakta mig inte',
  no:
    'stopp|slutt|slutt å sende|slutt å skrive|avslutt|avmeld|avmeld meg|meld meg av|avmelding|avregistrer|avregistrer meg|si opp|avbryt|fjern meg|' +
    'fjern nummeret mitt|slett meg|slett nummeret mitt|ingen flere meldinger|ikke send mer|ikke send flere meldinger|ikke skriv mer|ikke kontakt meg',
  da:
    'stands|stop venligst|hold op|hold op med at skrive|afmeld|afmeld mig|afmelding|frameld|frameld mig|afslut|afregistrer|opsig|annuller|annullér|' +
    'fjern mig|fjern mit nummer|slet mig|slet mit nummer|ingen flere beskeder|ikke flere beskeder|send ikke mere|skriv ikke mere|kontakt mig ikke',
  fi:
    'lopeta|lopettakaa|lopeta viestit|lopettakaa viestit|peruuta|peru tilaus|peruuta tilaus|peru uutiskirje|poista|poista minut|poistakaa minut|' +
    'poista numeroni|poista listalta|en halua viestejä|ei enää viestejä|ei viestejä|älä lähetä enää|älkää lähettäkö|älkää lähettäkö enää|irtisano|estä',
  et: 'peata|peatage|lõpeta|lõpetage|lõpeta saatmine|loobu|loobun|tühista|tühista tellimus|ära saada|ärge saatke|ärge saatke enam|ärge kirjutage|kustuta|kustuta mind|eemalda mind|eemaldage mind',
  lv: 'apturēt|aptur|apturiet|pārtraukt|pārtrauciet|beidziet|beidz|atteikties|atsakos|atrakstīties|atcelt|atcelt abonementu|nesūtīt|nesūtiet|nesūtiet vairāk|nerakstiet|nerakstiet vairāk|dzēst mani|izdzēsiet mani|noņemiet mani',
  lt: 'sustabdyti|sustabdykite|sustok|nustokite|nustok|baikite|atsisakyti|atsisakau|atsisakyti prenumeratos|atšaukti|nutraukti|nesiųskite|nesiųskite daugiau|nesiųsti|nerašykite|nerašykite daugiau|ištrinkite mane|pašalinkite mane|išregistruoti',
  is: 'hætta|hættu|hættið|hættið að senda|stoppa|stoppið|afskrá|afskrá mig|afskráðu mig|afskráning|segja upp|hætta við áskrift|ekki senda meira|ekki senda fleiri skilaboð|fjarlægið mig|eyðið númerinu mínu',
  ga: 'stop le do thoil|díliostáil|cealaigh|ná seol|ná seol níos mó|bain mé',
  cy: 'stopiwch|stopia|peidiwch|peidiwch ag anfon|dad-danysgrifio|canslo|tynnwch fi|dim mwy o negeseuon',
  mt: 'ieqaf|waqqaf|waqqfu|ikkanċella|neħħini|neħħuni|tibgħatx aktar|tibagħtux aktar',
  lb: 'hal op|ofmellen|mell mech of|keng messagen méi|läscht mech',
  ka: 'შეწყვიტე|შეწყვიტეთ|გაჩერდი|გაჩერდით|სტოპ|გაუქმება|გააუქმეთ|გამოწერის გაუქმება|ნუ გამომიგზავნით|აღარ გამომიგზავნოთ|წამშალეთ|არ მომწეროთ',
  hy: 'կանգնեցնել|կանգնեցրեք|կանգ առեք|դադարեցնել|դադարեցրեք|ստոպ|չեղարկել|չեղարկել բաժանորդագրությունը|ապաբաժանորդագրվել|մի ուղարկեք|այլևս մի ուղարկեք|մի գրեք|ջնջեք ինձ',
  sw:
    'simama|acheni|acha kutuma|acheni kutuma|acha kutuma ujumbe|acheni kutuma ujumbe|komesha|sitisha|sitisheni|ondoa|niondoe|nitoe|' +
    'jiondoe|jiondoa|ghairi|futa|futa namba yangu|usitume tena|msitume tena|usinitumie ujumbe|msinitumie ujumbe|sitaki ujumbe|simamisha|' +
    'acha kunitumia ujumbe|acheni kunitumia ujumbe',
  am: 'አቁም|አቁሙ|አቁሚ|አቋርጥ|ይቁም|ሰርዝ|ይሰረዝ|ምዝገባ ሰርዝ|መልእክት አትላኩ|አትላኩ|አትላክልኝ|አትላኩልኝ|ከዝርዝር አስወጡኝ',
  om: 'dhaabi|dhaabaa|dhaabii|haqi|na haqi|ergaa hin erginaa|hin erginaa',
  so: 'jooji|joojiya|jooji farriimaha|ka bax|iga saar|iga jooji|ha ii soo dirin|haysoo dirin|tirtir lambarkayga',
  ha: 'dakata|tsaya|ku daina|ku daina turo sako|daina turo sako|soke|cire ni|cire lambata|kada ku turo mini sako',
  yo: 'dúró|dawọ dúró|ẹ dawọ dúró|fagilé|yọ mí kúrò|ẹ yọ mí kúrò|má fi ránṣẹ́ mọ́|ẹ má fi ránṣẹ́ mọ́',
  ig: 'kwụsị|kwụsị izi ozi|kwụsịnụ|kagbuo|wepụ m|wepụ aha m|ezila m ozi|ezigala m ozi',
  zu: 'yima|yekani|yekani ukuthumela|khansela|ngisuseni|ngikhipheni|ningangithumeli|ningasangithumeli|zikhiphe ohlwini',
  xh: 'yima|yekani|rhoxisa|ndisuseni|ndikhupheni|musani ukundithumela|ningandithumeli',
  rw: 'hagarika|mukureho|nkuramo|munkuremo|ntimwongere kunyoherereza',
  mg: 'ajanony|atsaharo|ajanoy|foano|esory aho|aza mandefa intsony',
  ht: 'sispann|kanpe|anile|dezabòne m|retire m|pa voye mesaj ankò|pa ekri m ankò',
  eo: 'haltu|ĉesu|ĉesigu|malaboni|malabonu min|nuligi|ne plu sendu|forigu min',
};

/** Without diacritics, these look like everyday words (Đúng, Huy, está, duro). */
export const WITH_MARKS_ONLY: readonly string[] = ['dừng', 'hủy', 'huỷ', 'estä', 'dúró'];
