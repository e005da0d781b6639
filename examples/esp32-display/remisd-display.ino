// Shows one board on a small display: names, last move, clocks, result, and whether they are up to
// date.
//
// ESP32 with an SSD1306 of 128 x 64 pixels on I2C (SDA 21, SCL 22).
// Libraries: PubSubClient 2.8, ArduinoJson 7, Adafruit SSD1306 and Adafruit GFX.
//
// It reads only the topics of the audience `hall`. See protocol/mqtt.md.

#include <Adafruit_GFX.h>
#include <Adafruit_SSD1306.h>
#include <ArduinoJson.h>
#include <PubSubClient.h>
#include <WiFi.h>
#include <Wire.h>

// ---- your settings ------------------------------------------------------------------

const char *WIFI_NAME = "club";
const char *WIFI_PASSWORD = "secret";

const char *MQTT_HOST = "192.0.2.10";
const uint16_t MQTT_PORT = 1883;
const char *MQTT_USER = "hall";  // "" if the broker needs no password
const char *MQTT_PASSWORD = "secret";

const char *SITE = "hall";
const char *NODE = "remisd";
const char *BOARD = "b1";

// After a start in mid-game, the clocks are right only if the time of day is known.
const char *TIME_SERVER = "pool.ntp.org";

// ---- state --------------------------------------------------------------------------

// A ply takes about 45 bytes of the payload: this is enough for 500 moves by each player.
const uint16_t BUFFER = 48 * 1024;

const uint32_t FIRST_WAIT_MS = 1000;
const uint32_t LONGEST_WAIT_MS = 60000;

struct Game {
  char white[22] = "";
  char black[22] = "";
  char move[12] = "";
  bool uncertain = false;
  bool too_long = false;
};

struct Clocks {
  bool known = false;
  int32_t white_ms = 0;
  int32_t black_ms = 0;
  char running = '-';  // w, b, or - while both are stopped
  uint32_t since = 0;  // millis() at the first arrival of this reading
  int64_t at = 0;      // for a retained reading: the time of day when it was taken; otherwise 0
};

struct Known {
  Game game;
  Clocks clocks;
  char score[8] = "";
  char reason[20] = "";
  bool node_online = false;
  bool board_online = false;
};

Known known;
bool changed = true;
bool first_game = true;  // the next game payload is retained: as old as its `time` says

WiFiClient network;
PubSubClient mqtt(network);
Adafruit_SSD1306 display(128, 64, &Wire, -1);

// PubSubClient silently drops a packet longer than its buffer. With a stream set, it delivers the
// packet truncated instead. The sketch does not use the stream itself.
class Nowhere : public Stream {
 public:
  int available() override { return 0; }
  int read() override { return -1; }
  int peek() override { return -1; }
  size_t write(uint8_t) override { return 1; }
} nowhere;

// ---- text ---------------------------------------------------------------------------

// U+00C0 to U+00FF in the display's character set (code page 437). Letters that it lacks lose their
// accents.
const uint8_t LATIN[65] =
    "AAAA\x8E\x8F\x92\x80" "E\x90" "EEIIII"
    "D\xA5OOOO\x99xOUUU\x9AYT\xE1"
    "\x85\xA0\x83" "a\x84\x86\x91\x87\x8A\x82\x88\x89\x8D\xA1\x8C\x8B"
    "d\xA4\x95\xA2\x93o\x94\xF6o\x97\xA3\x96\x81yt\x98";

// The same for U+0100 to U+017F.
const char LATIN_EXTENDED[129] =
    "AaAaAaCcCcCcCcDdDdEeEeEeEeEeGgGgGgGgHhHhIiIiIiIiIiIiJjKkkLlLlLlL"
    "lLlNnNnNnnNnOoOoOoOoRrRrRrSsSsSsSsTtTtTtUuUuUuUuUuUuWwYyYZzZzZzs";

// Converts UTF-8 to the display's character set.
void to_display(char *out, size_t size, const char *text) {
  size_t n = 0;
  const uint8_t *in = (const uint8_t *)text;
  while (*in && n + 1 < size) {
    uint32_t letter = *in++;
    if (letter >= 0xC0) {
      int more = letter >= 0xF0 ? 3 : letter >= 0xE0 ? 2 : 1;
      letter &= 0x3F >> more;
      while (more-- > 0 && (*in & 0xC0) == 0x80) letter = letter << 6 | (*in++ & 0x3F);
      if (letter >= 0xC0 && letter <= 0xFF) letter = LATIN[letter - 0xC0];
      else if (letter >= 0x100 && letter <= 0x17F) letter = LATIN_EXTENDED[letter - 0x100];
      else letter = '?';
    }
    out[n++] = (char)letter;
  }
  out[n] = 0;
}

// Hours, minutes and seconds. A fraction of a second counts as a whole one, as on a chess clock.
void to_time(char *out, size_t size, int32_t ms) {
  int32_t s = ms > 0 ? (ms + 999) / 1000 : 0;
  snprintf(out, size, "%d:%02d:%02d", (int)(s / 3600), (int)(s / 60 % 60), (int)(s % 60));
}

// ---- time ---------------------------------------------------------------------------

// Seconds since 1970 of `2026-11-22T01:24:46.643Z`, or 0.
int64_t seconds_of(const char *text) {
  int year, month, day, hour, minute, second;
  if (sscanf(text, "%d-%d-%dT%d:%d:%d", &year, &month, &day, &hour, &minute, &second) != 6) return 0;
  // Days in a calendar whose years begin in March: a leap day is then the last day of its year.
  if (month <= 2) {
    year -= 1;
    month += 12;
  }
  int64_t days = 365LL * year + year / 4 - year / 100 + year / 400 + (153 * (month - 3) + 2) / 5 + day - 719469;
  return ((days * 24 + hour) * 60 + minute) * 60 + second;
}

// Age of the last clock reading in milliseconds.
uint32_t passed_ms(const Clocks &clocks) {
  int64_t now = time(nullptr);
  const int64_t OF_2024 = 1704067200;  // an earlier time means that the time server has not answered
  const int64_t DAY = 86400;
  if (clocks.at == 0 || now < OF_2024) return millis() - clocks.since;
  if (now <= clocks.at) return 0;
  return (uint32_t)min(now - clocks.at, DAY) * 1000;
}

// ---- incoming messages --------------------------------------------------------------

void take_clocks(JsonVariantConst clocks, const char *time_text) {
  Clocks now;
  now.known = !clocks.isNull();
  now.white_ms = clocks["white_ms"] | 0;
  now.black_ms = clocks["black_ms"] | 0;
  const char *running = clocks["running"] | "-";
  now.running = running[0];
  // The payload is also sent for other reasons. It then repeats the last clock reading.
  const Clocks &before = known.clocks;
  bool same = now.known == before.known && now.white_ms == before.white_ms && now.black_ms == before.black_ms &&
              now.running == before.running;
  if (same) return;
  now.since = millis();
  now.at = first_game ? seconds_of(time_text) : 0;
  known.clocks = now;
}

void take_game(const uint8_t *payload, unsigned int length) {
  // Keep only the SAN of each move. In a filter, the first element stands for all.
  JsonDocument filter;
  filter["time"] = true;
  filter["headers"]["White"] = true;
  filter["headers"]["Black"] = true;
  filter["clocks"] = true;
  filter["moves"][0]["san"] = true;
  filter["uncertain"] = true;

  JsonDocument doc;
  DeserializationError error =
      deserializeJson(doc, (const char *)payload, length, DeserializationOption::Filter(filter));
  if (error) {
    known.game.too_long = true;
    known.clocks.running = '-';
    return;
  }
  Game game;
  to_display(game.white, sizeof game.white, doc["headers"]["White"] | "White");
  to_display(game.black, sizeof game.black, doc["headers"]["Black"] | "Black");
  JsonArrayConst moves = doc["moves"].as<JsonArrayConst>();
  if (moves.size() > 0) strlcpy(game.move, moves[moves.size() - 1]["san"] | "", sizeof game.move);
  game.uncertain = !doc["uncertain"].isNull();
  known.game = game;
  take_clocks(doc["clocks"], doc["time"] | "");
  first_game = false;
}

void take_result(const uint8_t *payload, unsigned int length) {
  known.score[0] = 0;
  known.reason[0] = 0;
  JsonDocument doc;
  if (length == 0 || deserializeJson(doc, (const char *)payload, length)) return;  // cleared: a new game
  if (!(doc["confirmed"] | false)) return;
  const char *score = doc["score"] | "";
  if (strcmp(score, "1/2-1/2") == 0) score = "\xAB-\xAB";  // ½-½ in the display's character set
  strlcpy(known.score, score, sizeof known.score);
  strlcpy(known.reason, doc["reason"] | "", sizeof known.reason);
  for (char *c = known.reason; *c; c++) {
    if (*c == '_') *c = ' ';
  }
}

bool is_online(const uint8_t *payload, unsigned int length) {
  JsonDocument doc;
  if (length == 0 || deserializeJson(doc, (const char *)payload, length)) return false;
  return strcmp(doc["state"] | "", "online") == 0;
}

void topic_of(char *out, size_t size, const char *leaf) {
  snprintf(out, size, "chess/v1/%s/hall/%s/%s", SITE, BOARD, leaf);
}

void node_topic(char *out, size_t size) { snprintf(out, size, "chess/v1/%s/node/%s/state", SITE, NODE); }

void take(char *topic, uint8_t *payload, unsigned int length) {
  char node[128];
  node_topic(node, sizeof node);
  const char *leaf = strrchr(topic, '/') + 1;
  if (strcmp(topic, node) == 0) known.node_online = is_online(payload, length);
  else if (strcmp(leaf, "availability") == 0) known.board_online = is_online(payload, length);
  else if (strcmp(leaf, "result") == 0) take_result(payload, length);
  else if (strcmp(leaf, "game") == 0 && length > 0) take_game(payload, length);
  changed = true;
}

// ---- connection ---------------------------------------------------------------------

uint32_t wait_ms = FIRST_WAIT_MS;
uint32_t next_try = 0;

void subscribe() {
  // Discard the old state: a topic cleared during the outage is not published again. All topics are
  // retained, so the current state arrives immediately. QoS 0 is enough: each payload is complete.
  known = Known();
  first_game = true;
  char topic[128];
  for (const char *leaf : {"availability", "game", "result"}) {
    topic_of(topic, sizeof topic, leaf);
    mqtt.subscribe(topic);
  }
  node_topic(topic, sizeof topic);
  mqtt.subscribe(topic);
}

// Reconnects with exponential back-off and jitter: the screens of a hall must not reconnect all at
// once.
void keep_line() {
  if (mqtt.connected() || (int32_t)(millis() - next_try) < 0) return;
  if (WiFi.status() == WL_CONNECTED) {
    char id[32];
    snprintf(id, sizeof id, "remisd-display-%08x", (unsigned)ESP.getEfuseMac());
    bool welcome = MQTT_USER[0] ? mqtt.connect(id, MQTT_USER, MQTT_PASSWORD) : mqtt.connect(id);
    if (welcome) {
      wait_ms = FIRST_WAIT_MS;
      subscribe();
      changed = true;
      return;
    }
    Serial.printf("no broker: state %d, next try in %u ms\n", mqtt.state(), (unsigned)wait_ms);
  }
  next_try = millis() + wait_ms / 2 + random(wait_ms / 2 + 1);
  wait_ms = wait_ms < LONGEST_WAIT_MS / 2 ? wait_ms * 2 : LONGEST_WAIT_MS;
  changed = true;
}

// ---- display ------------------------------------------------------------------------

// Why the display may be out of date, or null.
const char *trouble() {
  if (WiFi.status() != WL_CONNECTED) return "no WiFi";
  if (!mqtt.connected()) return "no broker";
  if (!known.node_online) return "remisd is offline";
  if (!known.board_online) return "board is offline";
  if (known.game.too_long) return "game not readable";
  return nullptr;
}

void show_player(int y, const char *name, int32_t ms, char side, bool runs) {
  const Clocks &clocks = known.clocks;
  bool running = clocks.known && clocks.running == side;
  if (running && runs) ms -= (int32_t)passed_ms(clocks);
  display.setTextSize(1);
  display.setCursor(0, y);
  display.print(name);
  char text[12] = "-:--:--";
  if (clocks.known) to_time(text, sizeof text, ms);
  display.setTextSize(2);
  display.setCursor(0, y + 9);
  display.print(text);
  if (running && known.score[0] == 0) display.print(runs ? " <" : " ?");
}

void show() {
  const char *wrong = trouble();
  bool runs = wrong == nullptr && known.score[0] == 0;
  display.clearDisplay();
  display.setTextColor(SSD1306_WHITE);
  show_player(0, known.game.black, known.clocks.black_ms, 'b', runs);
  show_player(39, known.game.white, known.clocks.white_ms, 'w', runs);

  // No move number and no counter: players see this screen, too.
  char line[48];
  if (wrong) snprintf(line, sizeof line, "%s", wrong);
  else if (known.score[0]) snprintf(line, sizeof line, "%s %s", known.score, known.reason);
  else snprintf(line, sizeof line, "%s%s", known.game.move, known.game.uncertain ? " not certain" : "");
  line[21] = 0;
  display.setTextSize(1);
  if (wrong) {
    display.fillRect(0, 27, 128, 10, SSD1306_WHITE);
    display.setTextColor(SSD1306_BLACK);
  }
  display.setCursor(0, 28);
  display.print(line);
  display.display();
}

void setup() {
  Serial.begin(115200);
  if (!mqtt.setBufferSize(BUFFER)) Serial.println("no memory for the buffer");
  if (!display.begin(SSD1306_SWITCHCAPVCC, 0x3C)) {
    Serial.println("no display at 0x3C");
    for (;;) delay(1000);
  }
  display.cp437(true);
  display.setTextWrap(false);
  WiFi.mode(WIFI_STA);
  WiFi.setAutoReconnect(true);
  WiFi.begin(WIFI_NAME, WIFI_PASSWORD);
  configTime(0, 0, TIME_SERVER);
  mqtt.setServer(MQTT_HOST, MQTT_PORT);
  mqtt.setKeepAlive(15);
  mqtt.setSocketTimeout(5);
  mqtt.setStream(nowhere);
  mqtt.setCallback(take);
}

void loop() {
  keep_line();
  mqtt.loop();
  static uint32_t shown = 0;
  if (changed || millis() - shown >= 250) {
    changed = false;
    shown = millis();
    show();
  }
  delay(5);
}
