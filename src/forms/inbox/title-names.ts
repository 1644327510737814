import { keepLast } from "../../base/keep.ts";
import { withoutAccents } from "../../base/normalize.ts";

/** The content of a field, as its name says. `hidden` is of no use in a title, and `detail` is of less. */
export type FieldKind =
  | "name"
  | "first"
  | "last"
  | "topic"
  | "address"
  | "rating"
  | "people"
  | "item"
  | "quantity"
  | "date"
  | "time"
  | "detail"
  | "hidden";

/** Usual names of fields, without spaces and signs, in the languages of the pages of forms and some more. */
const NAMES: Record<FieldKind, string> = {
  name: `name fullname yourname contactname customername guestname personname sendername fromname
    vollername ihrname deinname vorundnachname vornamenachname nom nomcomplet votrenom nometprenom nomprenom
    nombre nombrecompleto nombreyapellidos tunombre sunombre nome nomecompleto seunome nomeecognome
    naam volledigenaam uwnaam imieinazwisko namn navn jmeno nimi nev adsoyad isim имя фио вашеимя ім'я
    名前 お名前 氏名 ご氏名 姓名 名字 您的姓名 이름 성함 الاسم اسم الاسمالكامل اسمك שם שםמלא όνομα नाम`,
  first: "firstname givenname forename fname first vorname prenom primeironome voornaam imie 名 الاسمالاول",
  last: `lastname familyname surname secondname lname last nachname familienname apellido apellidos sobrenome apelido
    cognome achternaam nazwisko фамилия 姓 اسمالعائلة الاسمالاخير`,
  topic: `subject topic title headline betreff thema titel sujet objet titre asunto tema titulo assunto oggetto argomento
    titolo onderwerp temat tytul emne amne konu тема 件名 題名 主題 主题 标题 標題 제목 الموضوع موضوع العنوان נושא θέμα`,
  address: `email emailaddress youremail replyto mail from emailadresse ihreemail courriel adresseemail correo
    correoelectronico adresemail メール メールアドレス 邮箱 电子邮件 이메일 البريد البريدالالكتروني почта`,
  rating: `rating rate stars score satisfaction nps bewertung sterne zufriedenheit note evaluation etoiles calificacion
    puntuacion valoracion estrellas avaliacao valutazione stelle beoordeling ocena рейтинг оценка 評価 評点 满意度 评分
    評分 평점 별점 التقييم تقييم`,
  people: `guests people persons party partysize groupsize covers headcount attendees participants numberofguests
    numberofpeople numberofpersons personen gaste anzahlpersonen personenzahl anzahlgaste teilnehmer personnes convives
    nombredepersonnes personas comensales invitados numerodepersonas pessoas convidados persone ospiti coperti gasten
    aantalpersonen osoby liczbaosob гости количествогостей 人数 ご利用人数 人數 인원 عددالاشخاص الاشخاص عددالضيوف`,
  item: `service room roomtype product item plan package course class workshop event treatment ticket model leistung
    zimmer produkt artikel kurs veranstaltung paket produit article chambre evenement producto articulo habitacion
    servicio evento produto servico prodotto servizio camera kamer cursus usluga pokoj товар услуга 商品 製品 サービス
    コース 产品 產品 服务 상품 المنتج الخدمة الغرفة`,
  quantity: `quantity qty amount pieces menge anzahl stuckzahl quantite cantidad quantidade quantita aantal ilosc
    количество 数量 數量 수량 الكمية`,
  date: `date day when appointment bookingdate reservationdate eventdate preferreddate arrival arrivaldate checkin
    startdate datum tag termin wunschdatum wunschtermin anreise fecha dia jour data giorno dag dzien дата 日付 日時 日にち
    希望日 ご希望日 来店日 予約日 日期 날짜 التاريخ تاريخ תאריך`,
  time: `time hour uhrzeit zeit hora heure ora orario tijd godzina время 時間 時刻 ご希望時間 时间 시간 الوقت الساعة`,
  detail: `phone telephone tel mobile street city town zip zipcode postcode postalcode country state region address
    company organisation organization website birthdate birthday dateofbirth dob age telefon handy mobil strasse ort stadt
    plz land adresse firma geburtsdatum telephone rue ville codepostal pays societe naissance telefono calle ciudad pais
    direccion empresa telefone rua cidade morada indirizzo citta azienda telefoon straat plaats land bedrijf miasto ulica
    電話 電話番号 住所 郵便番号 会社名 会社 电话 地址 公司 전화 주소 회사 الهاتف هاتف العنوانالبريدي المدينة الشركة телефон адрес`,
  hidden: `id uuid token csrf csrftoken locale lang language referrer referer source url page pageurl useragent timezone
    gclid fbclid next redirect formname formid honeypot consent privacy terms agree newsletter datenschutz einwilligung`,
};

const KINDS: ReadonlyMap<string, FieldKind> = new Map(
  (Object.keys(NAMES) as FieldKind[])
    .toReversed()
    .flatMap((kind) => NAMES[kind].split(/\s+/).map((name) => [folded(name), kind] as const)),
);

/** Characters of a name that says what its field holds. */
const LONGEST = 40;

const kept = keepLast<{ kind: FieldKind | null }>(2000);

/** The content of a field of that name, or with that label; null for anything else. */
export function kindOfName(name: string): FieldKind | null {
  if (name.length > LONGEST) return null;
  return kept(name, () => {
    const kind = KINDS.get(folded(name));
    return { kind: kind ?? (/^(?:_|utm[_-])/i.test(name) ? "hidden" : null) };
  }).kind;
}

/** A name without case, accents, spaces and signs. */
function folded(name: string): string {
  return withoutAccents(name)
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, "");
}
