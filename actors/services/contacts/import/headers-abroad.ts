/**
 * Header names of contact files in further languages, separated by `|`. Covers only columns that
 * identify a person, name them or record a refusal. An unrecognized country column would turn a
 * foreign number into a domestic one, and that may be another person's.
 */

export const ABROAD = {
  phone:
    'no telefon|nombor telefon|nombor|telepono|numero ng telepono|numero di telefono|telefono casa|telefono ufficio|telefono fisso|recapito telefonico|telefoon|telefoonnummer|telefoon thuis|' +
    'telefoon werk|vaste telefoon|telefon numarası|telefon no|ev telefonu|iş telefonu|numer telefonu|nr telefonu|телефон|телефоны|номер телефона|номер|тел|домашний телефон|рабочий телефон|' +
    'контактный телефон|số điện thoại|so dien thoai|điện thoại|dien thoai|sđt|sdt|số đt|เบอร์โทรศัพท์|เบอร์โทร|โทรศัพท์|หมายเลขโทรศัพท์|เบอร์ติดต่อ|电话|电话号码|联系电话|' +
    '電話|電話號碼|聯絡電話|電話番号|連絡先|自宅電話|勤務先電話|전화|전화번호|연락처|تلفن|شماره تلفن|فون|فون نمبر|ফোন|ফোন নম্বর',
  mobile:
    'telefon bimbit|no telefon bimbit|nombor telefon bimbit|cellulare|numero di cellulare|telefono cellulare|mobiel|mobiele telefoon|mobiel nummer|gsm|gsm nummer|cep|cep telefonu|cep no|' +
    'cep numarası|cep telefonu numarası|gsm no|komórka|telefon komórkowy|numer komórkowy|мобильный|мобильный телефон|моб|моб телефон|сотовый|сотовый телефон|номер мобильного|' +
    'di động|số di động|điện thoại di động|đtdđ|มือถือ|เบอร์มือถือ|โทรศัพท์มือถือ|手机|手机号|手机号码|移动电话|手機|手機號碼|行動電話|携帯|携帯電話|携帯番号|携帯電話番号|' +
    '휴대폰|휴대폰번호|휴대폰 번호|핸드폰|핸드폰번호|핸드폰 번호|휴대전화|휴대전화번호|موبایل|شماره موبایل|موبائل|موبائل نمبر|মোবাইল|মোবাইল নম্বর',
  whatsapp:
    'nombor whatsapp|numero whatsapp|whatsapp nummer|whatsapp numarası|whatsapp no|numer whatsapp|номер whatsapp|ватсап|номер ватсап|số whatsapp|whatsapp号码|whatsapp号|whatsapp番号',
  country:
    'paese|nazione|prefisso|prefisso internazionale|codice paese|landcode|landnummer|ülke|ulke|ülke kodu|kraj|kod kraju|страна|код страны|quốc gia|quoc gia|mã quốc gia|ประเทศ|รหัสประเทศ|' +
    '国家|國家|国家地区|國家地區|国家代码|国别|国|国名|国コード|国番号|국가|국가코드|국가 코드|나라|کشور|ملک|দেশ',
  name:
    'nama penuh|pangalan|nome e cognome|cognome e nome|nominativo|naam|volledige naam|klant|klantnaam|contactpersoon|ad soyad|adı soyadı|isim|isim soyisim|müşteri|müşteri adı|imię i nazwisko|' +
    'klient|nazwa klienta|фио|полное имя|клиент|имя клиента|контакт|họ tên|họ và tên|ho ten|tên|tên khách hàng|khách hàng|ชื่อ นามสกุล|ชื่อลูกค้า|ลูกค้า|姓名|名字|客户|' +
    '客户姓名|客户名称|联系人|客戶|聯絡人|氏名|名前|お名前|顧客名|お客様名|이름|성명|고객명|고객 이름|نام و نام خانوادگی|نام|নাম',
  first_name: 'voornaam|ad|adı|imię|имя|ชื่อ',
  last_name: 'cognome|achternaam|soyad|soyadı|soyisim|nazwisko|фамилия|นามสกุล|نام خانوادگی',
  opt_out:
    'jangan dihubungi|berhenti langganan|disiscritto|non contattare|uitgeschreven|afgemeld|niet benaderen|niet contacteren|abonelikten çıktı|wypisany|nie kontaktować|отписан|отписался|' +
    'не беспокоить|hủy đăng ký|không liên hệ|退订|已退订|拒收|勿扰|配信停止|受信拒否|수신거부|수신 거부',
} as const;
